// What a request can fail with.

import { SchemaError } from '../contract/wire';
import { RequestError } from './api';

export type Failure = RequestError | SchemaError;

export function asFailure(error: unknown): Failure {
  if (error instanceof RequestError || error instanceof SchemaError) return error;
  return new RequestError('not_json', error instanceof Error ? error.message : String(error), '');
}

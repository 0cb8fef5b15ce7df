// Lines of JSON out of a stream of bytes.

/** Feed chunks, get the values of the lines that are complete. A character may be cut between two chunks. */
export class LineDecoder<T> {
  private readonly text = new TextDecoder();
  private rest = '';

  push(chunk: Uint8Array): T[] {
    return this.take(this.text.decode(chunk, { stream: true }), false);
  }

  /** The last line needs no line end. */
  end(): T[] {
    return this.take(this.text.decode(), true);
  }

  private take(text: string, last: boolean): T[] {
    const lines = (this.rest + text).split('\n');
    this.rest = last ? '' : (lines.pop() ?? '');
    return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as T);
  }
}

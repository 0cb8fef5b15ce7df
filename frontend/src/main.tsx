// TensorBoard imports this module into an empty page and calls render().

import { render as draw } from 'preact';
import { App } from './app';
import { followTheme } from './host';
import { adoptSheet } from './sheets';
import css from './style.css?inline';
import { text } from './strings';

export function render(): void {
  const root = document.documentElement;
  root.lang = 'en';
  document.title = text.title;
  adoptSheet(css);
  followTheme((dark) => root.classList.toggle('dark', dark));
  draw(<App />, document.body);
}

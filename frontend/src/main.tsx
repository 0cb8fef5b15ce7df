// TensorBoard imports this module into an empty page and calls render().

import { render as draw } from 'preact';
import { App } from './app';
import { requestEarly } from './early';
import { followTheme, onShown, takeFocus } from './host/host';
import css from './style.css?inline';
import { adoptSheet } from './ui/sheets';
import { text } from './ui/strings';

export function render(): void {
  requestEarly();
  const root = document.documentElement;
  root.lang = 'en';
  document.title = text.title;
  adoptSheet(css);
  followTheme((dark) => root.classList.toggle('dark', dark));
  draw(<App />, document.body);
  takeFocus();
  onShown(takeFocus);
}

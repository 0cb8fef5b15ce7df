// A component that is redrawn only if its props change, for what is redrawn at every scroll.

import { Component } from 'preact';

export abstract class Pure<P extends object> extends Component<P> {
  override shouldComponentUpdate(next: P): boolean {
    for (const key in next) if (this.props[key] !== next[key]) return true;
    return false;
  }
}

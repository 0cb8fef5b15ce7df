// The last few of something; the oldest leaves first.

export class Kept<V> extends Map<string, V> {
  constructor(private readonly most: number) {
    super();
  }

  override set(key: string, value: V): this {
    this.delete(key);
    super.set(key, value);
    const oldest = this.keys().next().value;
    if (this.size > this.most && oldest !== undefined) this.delete(oldest);
    return this;
  }
}

// A cache of the last `most` values set; values that are not `worth` caching are ignored, the oldest is evicted first.

export class BoundedCache<V> extends Map<string, V> {
  constructor(
    private readonly most: number,
    private readonly worth: (value: V) => boolean = () => true,
  ) {
    super();
  }

  override set(key: string, value: V): this {
    if (!this.worth(value)) return this;
    this.delete(key);
    super.set(key, value);
    const oldest = this.keys().next().value;
    if (this.size > this.most && oldest !== undefined) this.delete(oldest);
    return this;
  }
}

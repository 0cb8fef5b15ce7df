// Lines of JSON out of a stream of bytes.

/** Feed chunks, get the values of the lines that are complete. A character may be cut between two chunks. */
export class LineDecoder<T> {
  private readonly text = new TextDecoder();
  /** of the line that is not complete; joined once it is, since a line may be long and the chunks many */
  private parts: string[] = [];

  push(chunk: Uint8Array): T[] {
    return this.take(this.text.decode(chunk, { stream: true }));
  }

  /** The last line needs no line end. */
  end(): T[] {
    return this.take(`${this.text.decode()}\n`);
  }

  private take(text: string): T[] {
    const [first = '', ...others] = text.split('\n');
    this.parts.push(first);
    if (others.length === 0) return [];
    const lines = [this.parts.join(''), ...others];
    this.parts = lines.splice(-1);
    return lines.filter((line) => /\S/.test(line)).map((line) => JSON.parse(line) as T);
  }
}

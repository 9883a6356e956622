const blocks = new Set(
  (
    'address article aside blockquote body center details dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hr legend li main nav ol p pre section summary table tbody tfoot thead tr ul'
  ).split(' '),
);
const spaced = new Set('p h1 h2 h3 h4 h5 h6 blockquote pre ul ol table'.split(' '));

/**
 * Lays text out as a page would: white space collapsed, blocks on lines of their own, an empty line around paragraphs.
 */
export class TextFlow {
  private readonly parts: string[] = [];
  /** White space to write before the next text: none, a space, or line ends. */
  private owed = '';
  private preformatted = 0;
  /** The index in `parts` at which each open link's text began. */
  private readonly linkStarts: number[] = [];

  open(name: string): void {
    if (name === 'a') this.linkStarts.push(this.parts.length);
    if (name === 'br') this.owe(this.owed.startsWith('\n') && this.owed.length < 2 ? '\n\n' : '\n');
    else this.breakAround(name);
    if (name === 'pre') this.preformatted += 1;
    if (name === 'li') this.write('- ');
    if (name === 'td' || name === 'th') this.owe(' ');
  }

  close(name: string): void {
    if (name === 'pre') this.preformatted -= 1;
    if (name === 'td' || name === 'th') this.owe(' ');
    this.breakAround(name);
  }

  text(text: string): void {
    if (this.preformatted > 0) {
      this.write(text);
      return;
    }
    const words = text.replace(/[\t\n\f\r ]+/g, ' ');
    if (words.startsWith(' ')) this.owe(' ');
    const trimmed = words.replace(/^ | $/g, '');
    if (trimmed !== '') this.write(trimmed);
    if (words.length > 1 && words.endsWith(' ')) this.owe(' ');
  }

  /** Adds the host of the link that closes, unless its text already names it. */
  linkHost(host: string): void {
    const start = this.linkStarts.pop() ?? this.parts.length;
    if (host === '' || this.parts.length === start) return;
    // The first parts are enough, and links may be nested: reading all of them would take quadratic time.
    const shown = this.parts
      .slice(start, start + 8)
      .join('')
      .trim()
      .toLowerCase();
    if (shown !== host && !shown.startsWith(`https://${host}`) && !shown.startsWith(`http://${host}`)) {
      this.parts.push(` (${host})`);
    }
  }

  result(): string {
    return this.parts.join('');
  }

  private breakAround(name: string): void {
    if (spaced.has(name)) this.owe('\n\n');
    else if (blocks.has(name)) this.owe('\n');
  }

  private owe(space: string): void {
    const lines = space.startsWith('\n');
    if (this.owed === '' || (lines && (!this.owed.startsWith('\n') || space.length > this.owed.length))) {
      this.owed = space;
    }
  }

  private write(text: string): void {
    if (this.parts.length > 0 && this.owed !== '') this.parts.push(this.owed);
    this.owed = '';
    this.parts.push(text);
  }
}

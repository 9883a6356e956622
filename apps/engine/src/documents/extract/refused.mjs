/**
 * @typedef {object} Limits
 * @property {number} maxChars of the text
 * @property {number} maxPages of a PDF, slides of a presentation
 * @property {number} maxBytes of what is packed in the file
 */

/** Why there is no text: `not_text`, `too_large`, `unreadable`. */
export class Refused extends Error {}

/** Text up to a limit: a part would pass for the whole. */
export class Written {
  #parts = [''];
  #chars = 0;
  #maxChars;

  /** @param {number} maxChars */
  constructor(maxChars) {
    this.#maxChars = maxChars;
  }

  /** @param {string} text @throws {Refused} `too_large` */
  add(text) {
    this.#chars += text.length;
    if (this.#chars > this.#maxChars) throw new Refused('too_large');
    this.#parts.push(text);
  }

  /** Without spaces at ends of lines, and at most one empty line. */
  get text() {
    return this.#parts
      .join('')
      .replace(/[ \t]+$/gm, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }
}

// Helm templates are not YAML. So a document gets marks in their place, which are replaced by template text once the
// document is written as YAML.
import { isSeq, Pair, Scalar } from 'yaml';

const MARK = /Mark(\d+)x/;

export class Marks {
  /** @type {{kind: 'inline' | 'value' | 'lines', text: string}[]} */
  #marks = [];

  /** @param {'inline' | 'value' | 'lines'} kind @param {string} text */
  #mark(kind, text) {
    this.#marks.push({ kind, text });
    return new Scalar(`Mark${this.#marks.length - 1}x`);
  }

  /** A scalar from an expression. @param {string} expression */
  inline(expression) {
    return this.#mark('inline', expression);
  }

  /**
   * The value of a key of a block map, from an expression that yields YAML of several lines.
   * @param {string} expression
   */
  value(expression) {
    return this.#mark('value', expression);
  }

  /**
   * Lines of template text as the next entry of a map or sequence. `nindent 0` in them counts from the entry's own
   * indentation.
   * @param {import('yaml').YAMLMap | import('yaml').YAMLSeq} collection @param {string} text
   * @returns {{text: string}} whose text may change until it replaces the mark
   */
  append(collection, text) {
    const mark = this.#mark('lines', text);
    collection.flow = false;
    if (isSeq(collection)) collection.items.push(mark);
    else collection.items.push(new Pair(mark, new Scalar(null)));
    return /** @type {{text: string}} */ (this.#marks.at(-1));
  }

  /**
   * Replaces the marks in the text of a document. Braces of the document's own, as in alerts, are escaped.
   * @param {string} yaml
   */
  replaced(yaml) {
    return yaml
      .split('\n')
      .flatMap((line) => this.#line(line.replaceAll('{{', '{{ "{{" }}')))
      .join('\n');
  }

  /** @param {string} line @returns {string[]} */
  #line(line) {
    const found = MARK.exec(line);
    if (!found) return [line];
    const { kind, text } = this.#marks[Number(found[1])] ?? { kind: 'inline', text: '' };
    const indent = /^ */.exec(line)?.[0] ?? '';
    if (kind === 'lines') {
      if (!/^ *(- )?Mark\d+x(: null)?$/.test(line)) throw new Error(`lines of a template within a line: ${line}`);
      return text.split('\n').flatMap((each) => this.#line(`${indent}${indented(each, indent.length)}`));
    }
    if (kind === 'value') {
      const [, dash = ''] = /^ *(- )?[\w/.-]+: Mark\d+x$/.exec(line) ?? [];
      return [line.replace(MARK, () => `{{- ${text} | nindent ${indent.length + dash.length + 2} }}`)];
    }
    return this.#line(line.replace(MARK, () => `{{ ${text} }}`));
  }
}

/** @param {string} text @param {number} by */
const indented = (text, by) => text.replace(/nindent (\d+)/g, (_all, own) => `nindent ${Number(own) + by}`);

import { codeIn } from '../rules/code-spans.js';
import type { Rule } from '../rules/rule.js';

export const thinkingNote = '[thinking removed]';

const names = 'think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|(?:inner|internal)_monologue|antthinking';
const openers = `<(?:seed:)?(?:${names})(?:\\s[^<>\\n]{0,200})?>|\\[THINK\\]|◁think▷|<\\|begin_of_thought\\|>|<\\|channel\\|>\\s?(?:analysis|commentary)[^<\\n]{0,100}<\\|message\\|>`;
const closers = `</(?:seed:)?(?:${names})\\s?>|\\[/THINK\\]|◁/think▷|<\\|end_of_thought\\|>|<\\|end\\|>`;
const mark = new RegExp(`(${openers})|${closers}`, 'gi');
/** Templates that put the opening tag into the prompt produce answers that begin with thoughts and only close them. */
const endsPrompted = /^(?:<\/(?:seed:)?think(?:ing)?\s?>|\[\/THINK\]|◁\/think▷|<\|end_of_thought\|>)$/i;
const harmonyFinal = /(?:<\|start\|>assistant)?<\|channel\|>\s?final\s?<\|message\|>/y;

/**
 * What reasoning models write before they answer (DeepSeek, Qwen, Kimi, Magistral, Seed, gpt-oss): from an opening tag
 * to the last closing one before the next opening one; to the end of the text when a tag at the start of a line is
 * never closed; from the start of the text when the first tag is a closing one. Tags in code are code.
 */
export const thinkingBlocks: Rule = {
  name: 'thinking_blocks',
  apply(text) {
    const isCode = codeIn(text);
    const marks = [...text.matchAll(mark)]
      .filter((match) => !isCode(match.index, match.index + match[0].length))
      .map((match) => ({ start: match.index, end: match.index + match[0].length, opens: match[1] !== undefined }));
    const blocks = blocksOf(text, marks);
    let at = 0;
    let result = '';
    for (const { start, end } of blocks) {
      result += text.slice(at, start) + thinkingNote;
      at = end;
    }
    return { text: result + text.slice(at), times: blocks.length };
  },
};

interface Range {
  start: number;
  end: number;
}

function blocksOf(text: string, marks: (Range & { opens: boolean })[]): Range[] {
  const blocks: Range[] = [];
  let start: number | null = null;
  let end: number | null = null;
  for (const [index, each] of marks.entries()) {
    if (each.opens) {
      if (start !== null && end !== null) {
        blocks.push({ start, end: behindFinal(text, end) });
        [start, end] = [null, null];
      }
      start ??= opensBlock(text, each.start, marks[index + 1]) ? each.start : null;
    } else if (start !== null) end = each.end;
    else if (blocks.length === 0 && endsPrompted.test(text.slice(each.start, each.end))) [start, end] = [0, each.end];
  }
  if (start !== null) blocks.push({ start, end: end === null ? text.length : behindFinal(text, end) });
  return blocks;
}

/** An unclosed opening tag in the middle of a line is one that the text talks about. */
function opensBlock(text: string, start: number, next: { opens: boolean } | undefined): boolean {
  if (next !== undefined && !next.opens) return true;
  let at = start;
  while (at > 0 && (text[at - 1] === ' ' || text[at - 1] === '\t')) at -= 1;
  return at === 0 || text[at - 1] === '\n';
}

function behindFinal(text: string, end: number): number {
  harmonyFinal.lastIndex = end;
  return harmonyFinal.test(text) ? harmonyFinal.lastIndex : end;
}

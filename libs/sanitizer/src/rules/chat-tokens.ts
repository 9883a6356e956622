import { codeIn } from './code-spans.js';
import { replacing, type Rule } from './rule.js';

const removed = '[removed-token]';
const open = '[<＜﹤‹〈⟨]';
const close = '[>＞﹥›〉⟩]';
const bar = '[|｜∣ǀ¦│]';
const names =
  'start_of_turn|end_of_turn|bos|eos|s|tool_calls?|tool_responses?|tool_outputs?|function_calls?|function_results|think|thinking';
const brackets = 'INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS';

/** `<|im_start|>`: a name between bars, without the spaces of an operator (`a <| b |> c`). */
const barred = new RegExp(`${open}[|｜∣ǀ│][^\\s|｜∣ǀ│<>＜＞]{1,64}[|｜∣ǀ│]${close}`, 'g');
/** Every token in any spelling. */
const anyToken = new RegExp(
  `${barred.source}|${open}{2}/?SYS${close}{2}|${open}/?(?:${names})${close}|\\[/?(?:${brackets})\\]`,
  'gi',
);
const dressed = new RegExp(`^${open}${bar}`);

/**
 * Chat templates mark turns with these (ChatML, Llama, Mistral, Gemma, DeepSeek, Hermes): a carelessly filled template
 * would read one as the end of the user's turn. They stay in code, except for tokens between bars, which no programming
 * language uses: those keep their name between broken bars.
 */
export const chatTokens: Rule = {
  name: 'chat_tokens',
  apply(text) {
    const isCode = codeIn(text);
    return replacing('chat_tokens', anyToken, (match, offset) => {
      if (!isCode(offset, offset + match.length)) return removed;
      return dressed.test(match) ? `<¦${match.slice(2, -2)}¦>` : match;
    }).apply(text);
  },
};

/** Speakers' names with which older templates begin a turn, after an empty line: they are put in brackets. */
export const turnMarkers: Rule = {
  name: 'turn_markers',
  apply(text) {
    const isCode = codeIn(text);
    return replacing('turn_markers', /(?<=^|\n[ \t]*\n)[ \t]*(?:Human|Assistant)(?=[ \t]*[:：])/g, (match, offset) => {
      const name = match.trimStart();
      return isCode(offset, offset + match.length) ? match : `${match.slice(0, -name.length)}[${name}]`;
    }).apply(text);
  },
};

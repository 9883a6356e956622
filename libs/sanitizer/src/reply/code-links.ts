import { codeLinksIn } from '#libs/adapter-sdk';
import type { Rule } from '../rules/rule.js';
import { certainCodeIn } from './certain-code.js';

/**
 * Links whose address would run code, show a page of its own or open a local file for whoever follows them. A broken
 * bar makes them text: `[here]¦(javascript:…)`. A picture in the address itself stays.
 */
export const codeLinks: Rule = {
  name: 'code_links',
  apply(text) {
    const isCertainCode = certainCodeIn(text);
    let [result, from, times] = ['', 0, 0];
    for (const { start, end, isPicture } of codeLinksIn(text)) {
      if (isPicture || isCertainCode(start, end)) continue;
      // Behind the first character of a mark; before the `=` of an attribute.
      const at = text[end - 1] === '=' ? end - 1 : start + 1;
      result += `${text.slice(from, at)}¦`;
      from = at;
      times += 1;
    }
    return { text: result + text.slice(from), times };
  },
};

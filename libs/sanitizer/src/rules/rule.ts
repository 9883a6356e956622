import type { RuleName } from '../report.js';

/** One pass of a rule over a text. `times` is 0 exactly when the text is unchanged. */
export interface Rule {
  name: RuleName;
  apply(text: string): { text: string; times: number };
}

/**
 * A rule that replaces what a pattern finds.
 * @param pattern global, without groups; linear in the text, whatever that contains
 * @param replace returns the match itself to keep it
 */
export function replacing(
  name: RuleName,
  pattern: RegExp,
  replace: (match: string, offset: number, text: string) => string,
): Rule {
  return {
    name,
    apply(text) {
      let times = 0;
      const result = text.replace(pattern, (match: string, offset: number) => {
        const replacement = replace(match, offset, text);
        if (replacement !== match) times += 1;
        return replacement;
      });
      return { text: result, times };
    },
  };
}

export function removing(name: RuleName, pattern: RegExp): Rule {
  return replacing(name, pattern, () => '');
}

import type { gfm } from 'micromark-extension-gfm';

type Extension = ReturnType<typeof gfm>;
type Construct = Exclude<NonNullable<NonNullable<Extension['text']>[number]>, readonly unknown[]>;
type Tokenizer = Construct['tokenize'];
type State = ReturnType<Tokenizer>;
type Next = ReturnType<State>;
type Code = Parameters<State>[0];

const [BACKTICK, DOLLAR, BACKSLASH, OPEN, CLOSE, OPEN_SQUARE, CLOSE_SQUARE] = [96, 36, 92, 40, 41, 91, 93];
const MAX_LENGTH = 2_000;

const isLineEnd = (code: Code): boolean => code !== null && code < -2;
const isBlank = (code: Code): boolean => code === null || code < 0 || code === 32;
const isWord = (code: Code): boolean => code !== null && code > 0 && /[0-9A-Za-z]/.test(String.fromCharCode(code));

const dollars: Tokenizer = function (effects, ok, nok) {
  let [marks, length, behind, isEmpty] = [0, 0, null as Code, true];
  return start;

  function start(code: Code): Next {
    effects.enter('data');
    return opening(code);
  }
  function opening(code: Code): Next {
    if (code === DOLLAR && marks < 2) {
      marks += 1;
      effects.consume(code);
      return opening;
    }
    if (code === DOLLAR || code === null || (marks === 1 && isBlank(code))) return nok(code);
    return inside(code);
  }
  function inside(code: Code): Next {
    length += 1;
    if (code === null || length > MAX_LENGTH || (marks === 1 && (isLineEnd(code) || code === BACKTICK)))
      return nok(code);
    if (code === DOLLAR && behind !== BACKSLASH) {
      if (isEmpty || (marks === 1 && isBlank(behind))) return nok(code);
      effects.consume(code);
      return marks === 1 ? after : second;
    }
    isEmpty = false;
    behind = behind === BACKSLASH && code === BACKSLASH ? null : code;
    if (isLineEnd(code)) return lineEnd(effects, inside)(code);
    effects.consume(code);
    return inside;
  }
  function second(code: Code): Next {
    if (code !== DOLLAR) return nok(code);
    effects.consume(code);
    return after;
  }
  function after(code: Code): Next {
    if (marks === 1 && (isWord(code) || code === DOLLAR)) return nok(code);
    effects.exit('data');
    return ok(code);
  }
};

const brackets: Tokenizer = function (effects, ok, nok) {
  let [length, closing] = [0, CLOSE];
  return start;

  function start(code: Code): Next {
    effects.enter('data');
    effects.consume(code);
    return opening;
  }
  function opening(code: Code): Next {
    if (code !== OPEN && code !== OPEN_SQUARE) return nok(code);
    closing = code === OPEN ? CLOSE : CLOSE_SQUARE;
    effects.consume(code);
    return inside;
  }
  function inside(code: Code): Next {
    length += 1;
    if (code === null || length > MAX_LENGTH) return nok(code);
    if (isLineEnd(code)) return lineEnd(effects, inside)(code);
    effects.consume(code);
    return code === BACKSLASH ? escaped : inside;
  }
  function escaped(code: Code): Next {
    if (code === null || isLineEnd(code)) return inside(code);
    // One in another is none; and each try ends at the next one, so that all take linear time.
    if (code === OPEN || code === OPEN_SQUARE) return nok(code);
    effects.consume(code);
    return code === closing ? end : inside;
  }
  function end(code: Code): Next {
    effects.exit('data');
    return ok(code);
  }
};

function lineEnd(effects: Parameters<Tokenizer>[0], next: State): State {
  return (code) => {
    effects.exit('data');
    effects.enter('lineEnding');
    effects.consume(code);
    effects.exit('lineEnding');
    effects.enter('data');
    return next;
  };
}

/**
 * Mathematics as people write it in a text, `$x_1$`, `$$x$$`, `\(x\)` and `\[x\]`: text of which nothing is a mark or
 * an escape. A single dollar opens only before a word and closes only behind one, and not before another (`$5 or $6`).
 */
export const latexText: Extension = {
  text: {
    [DOLLAR]: { name: 'latexDollar', tokenize: dollars },
    [BACKSLASH]: { name: 'latexBracket', tokenize: brackets },
  },
};

import { Environment, EvaluationError } from '@marcbachmann/cel-js';

/**
 * What expressions may read, and how they calculate. Every number of a message is a double, and a whole number in an
 * expression is an int: operators that take only two of the same kind would fail on `metadata.amount * 2`.
 */
export const environment = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 300, maxDepth: 24, maxListElements: 200 },
})
  .registerVariable({
    name: 'event',
    schema: {
      type: 'string',
      sender: 'string',
      message: 'string',
      thread_id: 'string',
      is_dm: 'bool',
      verified: 'bool',
    },
  })
  .registerVariable({ name: 'contact', schema: { id: 'string', name: 'string', status: 'string' } })
  .registerVariable('metadata', 'map<string, dyn>')
  .registerVariable({
    name: 'request',
    schema: { headers: 'map<string, string>', query: 'map<string, string>' },
  });

const calculations: Record<string, (left: number, right: number) => number> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': remainder,
};

for (const left of ['int', 'uint', 'double']) {
  for (const right of ['int', 'uint', 'double']) {
    if (left !== right) calculateWith(left, right);
  }
}
environment.registerOperator('double % double: double', remainder);
// The opposite orders are built in.
for (const equal of ['int == uint', 'int == double', 'uint == double']) {
  environment.registerOperator(`${equal}: bool`, (a: unknown, b: unknown) => Number(a) === Number(b));
}

/** Two kinds of numbers are calculated with as doubles. */
function calculateWith(left: string, right: string): void {
  for (const [operator, calculate] of Object.entries(calculations)) {
    environment.registerOperator(`${left} ${operator} ${right}: double`, (a: unknown, b: unknown) =>
      calculate(Number(a), Number(b)),
    );
  }
}

/** As for whole numbers: a number that is none must not decide about a message. */
function remainder(left: number, right: number): number {
  if (right === 0) throw new EvaluationError('modulo by zero');
  return left % right;
}

type OnText = (text: string, ...given: unknown[]) => unknown;

/**
 * Positions and times are whole numbers, and those of a message are doubles: without these, what can be saved would fail
 * at every message.
 */
const withDoubles: [signature: string, call: OnText][] = [
  ['indexOf(string, double): int', (text, part, from) => BigInt(text.indexOf(String(part), positionIn(text, from)))],
  [
    'lastIndexOf(string, double): int',
    (text, part, from) => BigInt(text.lastIndexOf(String(part), positionIn(text, from))),
  ],
  ['substring(double): string', substring],
  ['substring(double, double): string', substring],
  ['substring(double, int): string', substring],
  ['substring(int, double): string', substring],
];
for (const [signature, call] of withDoubles) environment.registerFunction(`string.${signature}`, call);
environment.registerFunction('timestamp(double): google.protobuf.Timestamp', (seconds: number) => {
  const time = new Date(seconds * 1_000);
  if (Number.isNaN(time.getTime())) throw new EvaluationError(`timestamp() takes seconds since 1970, not ${seconds}`);
  return time;
});

function substring(text: string, from: unknown, to: unknown = text.length): string {
  const [start, end] = [positionIn(text, from), positionIn(text, to)];
  if (start > end) throw new EvaluationError(`substring() cannot end at ${end}, before its start at ${start}`);
  return text.slice(start, end);
}

/** @throws EvaluationError for what is no position in the text, as for whole numbers */
function positionIn(text: string, given: unknown): number {
  const position = Number(given);
  if (Number.isInteger(position) && position >= 0 && position <= text.length) return position;
  throw new EvaluationError(`${position} is no position in a text of ${text.length} characters`);
}

const words: Record<string, string> = {
  double: 'a number',
  int: 'a number',
  uint: 'a number',
  string: 'a text',
  bool: 'true or false',
  null: 'null',
  null_type: 'null',
};

/** What an expression may read, apart from what the sender wrote. */
const fields: Record<string, string> = {
  event: 'type, sender, message, thread_id, is_dm and verified',
  contact: 'id, name and status',
  request: 'headers and query',
};

/**
 * The library's words for what does not fit, as a person understands them, with what to write instead.
 * @param place the part of the expression that they are about
 * @param before what stands before it
 */
export function inWords(summary: string, place: string, before = ''): string {
  const operator = /^no such overload: (.+) ([<>=!]=?|[-+*/%]|in) (.+)$/.exec(summary);
  if (operator) {
    const [, left = '', sign = '', right = ''] = operator;
    const kinds = [kindOf(left), kindOf(right)];
    return `${sign} cannot be used with ${kinds[0]} and ${kinds[1]}${adviceFor(kinds, sign)}`;
  }
  const single = /^no such overload: ([-!])(.+)$/.exec(summary);
  if (single) return `${single[1]} cannot be used with ${kindOf(single[2] ?? '')}`;
  const [, owner, name, given] = /^found no matching overload for '(?:(.+)\.)?([^.(]+)\((.*)\)'$/.exec(summary) ?? [];
  if (name !== undefined) return noSuchCall(name, owner, given ?? '');
  const missing = /^No such key: (?!index out of bounds)(.+)$/s.exec(summary)?.[1];
  if (missing !== undefined) return noSuchKey(missing, place, before);
  if (summary.startsWith('Ternary branches')) return `${summary}: write both alike, for example 1.0 instead of 1`;
  return summary;
}

/** @param owner the type of what it is called on; undefined: of nothing */
function noSuchCall(name: string, owner: string | undefined, given: string): string {
  const kinds = given === '' ? [] : given.split(/, (?![^<]*>)/).map(kindOf);
  const known = environment.getDefinitions().functions.filter((each) => each.name === name);
  if (known.length === 0) return `there is no function ${name}()`;
  const takers = known.map(({ receiverType }) => (receiverType === null ? undefined : kindOf(receiverType)));
  if (owner === undefined) {
    if (!takers.includes(undefined)) return `${name}() is used on a value: write value.${name}(…)`;
    return `${name}() cannot be used with ${kinds.join(' and ') || 'nothing'}`;
  }
  const kind = kindOf(owner);
  if (!takers.includes(kind)) return `${name}() cannot be used on ${kind}${adviceFor([kind, 'a text'])}`;
  return `${name}() on ${kind} cannot be used with ${kinds.join(' and ') || 'nothing'}${adviceFor([kind, ...kinds])}`;
}

function noSuchKey(key: string, place: string, before: string): string {
  const [, named = ''] = /([A-Za-z]+)\.$/.exec(before) ?? [];
  if (fields[named] !== undefined && !before.endsWith(`.${named}.`))
    return `${named} has no ${key}: it has ${fields[named]}`;
  const index = /^(.+)\[[^\]]*\]$/s.exec(place);
  const [, chain = 'metadata.'] = /((?:[A-Za-z_]\w*\.)+)$/.exec(before) ?? [];
  const ask = index ? `${JSON.stringify(key)} in ${index[1]}` : `has(${chain}${key})`;
  return `No such key: ${key}: where it may be absent, ask first, for example ${ask} && …`;
}

function kindOf(type: string): string {
  const bare = type.replace(/^dyn<(.*)>$/, '$1');
  if (bare.startsWith('list')) return 'a list';
  if (bare.startsWith('map')) return 'an object';
  return words[bare] ?? bare;
}

function adviceFor(kinds: (string | undefined)[], sign = ''): string {
  if (kinds.includes('null')) return ': ask first, for example metadata.x != null && metadata.x > 1';
  // Both types are known only where both are written out.
  if (kinds[1] === 'a list' && (sign === 'in' || kinds[0] === 'a list') && kinds[0] !== 'a text')
    return ': write all numbers alike, for example 1.0 instead of 1';
  if (kinds.includes('a list') && kinds.includes('a text')) return ': "x" in metadata.list asks whether a list has it';
  if (kinds.includes('a number') && kinds.includes('a text'))
    return ': double(…) makes a number of a text, string(…) a text of a number';
  return '';
}

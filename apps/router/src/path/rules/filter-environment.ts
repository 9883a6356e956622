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

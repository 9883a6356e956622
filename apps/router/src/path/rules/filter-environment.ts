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

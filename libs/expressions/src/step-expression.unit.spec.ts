import {
  compileStepExpression,
  compileWaitCondition,
  StepExpressionError,
  type StepInput,
  waitReadsOf,
} from './step-expression.js';

const input: StepInput = {
  event: { type: 'order', sender: 'ada', message: 'two of them', thread_id: '', is_dm: false, verified: true },
  metadata: { amount: 250, tags: ['new'] },
  steps: { look: { result: { status: 200, items: [1, 2, 3] } }, ask: { is: true } },
};

const compiled = (text: string, wanted: 'bool' | 'any' = 'any') => {
  const made = compileStepExpression(text, wanted);
  if ('problem' in made) throw new Error(made.problem.message);
  return made.expression;
};
const problemOf = (text: string, wanted: 'bool' | 'any' = 'any'): string => {
  const made = compileStepExpression(text, wanted);
  return 'problem' in made ? made.problem.message : '';
};

describe('an expression of a step', () => {
  it('reads the message and what earlier steps gave', () => {
    expect(compiled('metadata.amount > 200 && steps.ask.is', 'bool').evaluate(input)).toBe(true);
    expect(compiled('steps["look"].result.status == 200', 'bool').evaluate(input)).toBe(true);
  });

  it('gives values as JSON has them', () => {
    expect(compiled('size(steps.look.result.items)').evaluate(input)).toBe(3);
    expect(compiled('{"text": event.message, "twice": [metadata.amount * 2]}').evaluate(input)).toEqual({
      text: 'two of them',
      twice: [500],
    });
  });

  it('says which steps it reads', () => {
    expect([...compiled('steps.look.result.status == 200 && steps["ask"].is').reads]).toEqual(['look', 'ask']);
  });

  it.each([
    ['steps.look.result.status', 'bool', ''],
    ['1 + 1', 'bool', 'The expression is of type int, not bool.'],
    ['steps.exists(s, s == "look")', 'any', 'Name the step: steps.<name>, or steps["<name>"].'],
    ['steps[event.sender]', 'any', 'Name the step: steps.<name>, or steps["<name>"].'],
    ['contact.name', 'any', 'contact is not known to steps: they read event, metadata and steps.'],
    ['event.message.matches("a+")', 'any', 'matches() is not available: use contains(), startsWith() or endsWith().'],
    ['"x".repeat(9)', 'any', 'there is no function repeat()'],
  ] as const)('%s, %s: %s', (text, wanted, problem) => {
    expect(problemOf(text, wanted)).toBe(problem);
  });

  it('fails in words where a value is missing', () => {
    expect(() => compiled('steps.look.result.total').evaluate(input)).toThrow(StepExpressionError);
    expect(() => compiled('steps.look.result.total').evaluate(input)).toThrow(/No such key: total/);
  });
});

describe('the condition of a wait', () => {
  const arrives = {
    event: { ...input.event, type: 'paid' },
    metadata: { order: 3 },
    request: { headers: { 'x-shop': 'main' }, query: {} },
  };
  const where =
    'metadata.order == size(steps.look.result.items) && run.metadata.amount > 200 && request.headers["x-shop"] == "main"';

  it('reads what arrives, what began the run, and what earlier steps gave', () => {
    const made = compileWaitCondition(where);
    if ('problem' in made) throw new Error(made.problem.message);
    const given = waitReadsOf(where, input);
    expect(made.expression.evaluate({ ...arrives, ...given })).toBe(true);
    expect(made.expression.evaluate({ ...arrives, metadata: { order: 4 }, ...given })).toBe(false);
  });

  it('keeps no more of the run than it reads', () => {
    const { event, metadata } = input;
    expect(waitReadsOf(where, input)).toEqual({ run: { event, metadata }, steps: { look: input.steps['look'] } });
    expect(waitReadsOf('metadata.order == 1', input)).toEqual({ run: { event: {}, metadata: {} }, steps: {} });
    expect(waitReadsOf(null, input)).toEqual({ run: { event: {}, metadata: {} }, steps: {} });
  });

  it('is true or false, and knows no contact', () => {
    expect(compileWaitCondition('1 + 1')).toMatchObject({ problem: { message: expect.stringContaining('not bool') } });
    expect(compileWaitCondition('contact.name == "Ada"')).toMatchObject({
      problem: { message: expect.stringContaining('contact is not known to waits') },
    });
  });
});

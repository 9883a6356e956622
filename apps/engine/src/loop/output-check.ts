import { PermanentFailure } from '#libs/queue';
import { compileSchema } from '#libs/tool-schema';
import type { RunOutputProblem } from '#libs/views';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { ModelMessage } from '../model/model.js';
import { jsonIn } from '../model/read-arguments.js';

export type Output = Record<string, unknown>;
export type CheckedOutput = { output: Output } | { problems: RunOutputProblem[] };

const maxProblems = 5;
const maxWords = 300;

/** Schemas that are kept compiled. */
const maxKept = 200;

export class OutputChecks {
  private readonly known = new Map<string, OutputCheck>();

  /** @throws PermanentFailure `output_invalid` for a schema that cannot be used */
  of(schema: Output): OutputCheck {
    const key = JSON.stringify(schema);
    const known = this.known.get(key) ?? compiled(schema);
    if (this.known.size >= maxKept) this.known.clear();
    this.known.set(key, known);
    return known;
  }
}

function compiled(schema: Output): OutputCheck {
  try {
    return new OutputCheck(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PermanentFailure('output_invalid', `the output schema cannot be used: ${why}`);
  }
}

/** Reads a run's answer as the value that its workflow declares. */
export class OutputCheck {
  private readonly check: ValidateFunction;

  /** @throws Error for an invalid schema */
  constructor(readonly schema: Output) {
    this.check = compileSchema(schema, true);
  }

  /**
   * @param texts the model's answer, as it is and without its thoughts: the first that is JSON counts
   * @param clean makes each text in it fit to go out: it may stand in a channel, or in a page of another system
   */
  read(texts: string[], clean: (text: string) => string): CheckedOutput {
    const value = texts.map(jsonIn).find((each) => each !== undefined);
    if (value === undefined) return { problems: [{ pointer: '', message: 'is not one JSON value' }] };
    const output = mapTexts(value, clean);
    if (this.check(output)) return { output: output as Output };
    return { problems: (this.check.errors ?? []).slice(0, maxProblems).map(problemOf) };
  }
}

/** Has the model answer once more. */
export function repairOf(text: string, problems: RunOutputProblem[]): ModelMessage[] {
  const asked = `Your answer does not hold to the JSON Schema: ${wordsOfProblems(problems)}. Answer with the whole object again, corrected.`;
  return [
    { role: 'assistant', content: text.trim() === '' ? '(no answer)' : text, tool_calls: [] },
    { role: 'user', content: asked },
  ];
}

/** The problems as one text, for people and for the model. */
export function wordsOfProblems(problems: RunOutputProblem[]): string {
  return problems.map(({ pointer, message }) => `${pointer === '' ? 'the answer' : pointer} ${message}`).join('; ');
}

function problemOf({ instancePath, message = 'is not valid', params }: ErrorObject): RunOutputProblem {
  const { allowedValues, allowedValue, additionalProperty, missingProperty } = params as Record<string, unknown>;
  if (missingProperty !== undefined) return { pointer: below(instancePath, missingProperty), message: 'is missing' };
  if (additionalProperty !== undefined) {
    return { pointer: below(instancePath, additionalProperty), message: 'is not in the schema' };
  }
  const named = allowedValues ?? allowedValue;
  const said = named === undefined ? message : `${message} (${JSON.stringify(named)})`;
  return { pointer: instancePath.slice(0, maxWords), message: said.slice(0, maxWords) };
}

/** By RFC 6901. */
function below(pointer: string, name: unknown): string {
  return `${pointer}/${String(name).replace(/~/g, '~0').replace(/\//g, '~1')}`.slice(0, maxWords);
}

/** Names of properties are texts too. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [map(name), mapTexts(each, map)]));
}

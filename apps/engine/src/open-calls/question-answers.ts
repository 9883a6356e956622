import type { McpAnswers, McpQuestion } from '#libs/contracts';
import { compileSchema } from '#libs/tool-schema';
import { type Field, fieldsOf } from './question-fields.js';

/** What a page sent, by the names of its inputs. */
export type Given = ReadonlyMap<string, string[]>;

/** A form as text: a line for each input. An input of one line has no line break in it. */
function readForm(body: string): Given {
  const given = new Map<string, string[]>();
  for (const line of body.split(/\r?\n/)) {
    const at = line.indexOf('=');
    if (at <= 0) continue;
    const name = line.slice(0, at);
    given.set(name, [...(given.get(name) ?? []), line.slice(at + 1)]);
  }
  return given;
}

const looksLike: Partial<Record<Field['kind'], [RegExp, string]>> = {
  email: [/^[^\s@]+@[^\s@]+$/, 'is no address of mail'],
  date: [/^\d{4}-\d{2}-\d{2}$/, 'is no date'],
};

/**
 * The answers to all questions of a page, checked by their schemas.
 * @returns what is wrong, in words; while anything is, the answers are not to be sent
 */
export function readAnswers(
  questions: Record<string, McpQuestion>,
  body: string,
): { answers: McpAnswers; given: Given; problems: string[] } {
  const given = readForm(body);
  const [action] = given.get('action') ?? [];
  if (action !== 'accept' && action !== 'decline')
    return { answers: {}, given, problems: ['Choose to answer or to decline.'] };
  const problems: string[] = [];
  const entries = Object.entries(questions).map(([key, question], at): [string, McpAnswers[string]] => {
    if (action === 'decline') return [key, { action }];
    if (question.mode === 'url') return [key, { action }];
    const fields = fieldsOf(question, at);
    const values = fields.flatMap((field) => valueOf(field, given.get(field.input) ?? [], problems));
    const content = Object.fromEntries(values);
    problems.push(...problemsIn(question.schema, content, fields));
    return [key, { action, content }];
  });
  return { answers: Object.fromEntries(entries), given, problems: [...new Set(problems)] };
}

type Value = string | number | boolean | string[];

function valueOf({ name, label, kind }: Field, sent: string[], problems: string[]): [string, Value][] {
  if (kind === 'some_of') return [[name, sent]];
  const [value = ''] = sent;
  if (value === '') return [];
  if (kind === 'yes_or_no') return [[name, value === 'true']];
  if (kind === 'number' || kind === 'integer') {
    const number = Number(value);
    if (!Number.isFinite(number)) problems.push(`${label} is no number.`);
    return Number.isFinite(number) ? [[name, number]] : [];
  }
  if (kind === 'url' && !URL.canParse(value)) problems.push(`${label} is no web address.`);
  const [pattern, words] = looksLike[kind] ?? [];
  if (pattern && !pattern.test(value)) problems.push(`${label} ${words}.`);
  return [[name, value]];
}

function problemsIn(schema: Record<string, unknown>, content: Record<string, Value>, fields: Field[]): string[] {
  const check = compileSchema({ ...schema });
  if (check(content)) return [];
  return (check.errors ?? []).map(({ instancePath, message, params }) => {
    const missing = (params as { missingProperty?: unknown } | undefined)?.missingProperty;
    const name = typeof missing === 'string' ? missing : instancePath.slice(1).split('/')[0];
    const label = fields.find((field) => field.name === name)?.label ?? 'The answer';
    return typeof missing === 'string' ? `${label} is missing.` : `${label} ${message ?? 'is not valid'}.`;
  });
}

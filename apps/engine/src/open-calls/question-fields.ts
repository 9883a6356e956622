import type { McpQuestion } from '#libs/contracts';

/** A choice of a field, and what it is called. */
export interface Choice {
  value: string;
  label: string;
}

/** A field of a form that a server asks for (MCP: flat, and of plain values), as a page shows it. */
export interface Field {
  /** In the page's form: whatever the server calls it. */
  input: string;
  /** As the server calls it. */
  name: string;
  label: string;
  about: string;
  kind: 'text' | 'email' | 'url' | 'date' | 'number' | 'integer' | 'yes_or_no' | 'one_of' | 'some_of';
  required: boolean;
  choices: Choice[];
  /** What is there before the contact changes it. */
  before: string[];
}

interface FieldSchema {
  type?: string;
  title?: unknown;
  description?: unknown;
  format?: unknown;
  default?: unknown;
  enum?: unknown;
  enumNames?: unknown;
  oneOf?: unknown;
  items?: { enum?: unknown; anyOf?: unknown };
}

const formats = { email: 'email', uri: 'url', date: 'date' } as const;

/** @param at the question's place on the page */
export function fieldsOf(question: McpQuestion, at: number): Field[] {
  if (question.mode !== 'form') return [];
  const { properties, required } = question.schema as { properties?: Record<string, FieldSchema>; required?: unknown };
  return Object.entries(properties ?? {}).map(([name, schema], index) => ({
    input: `q${at}.f${index}`,
    name,
    label: text(schema.title) || name,
    about: text(schema.description),
    kind: kindOf(schema),
    required: Array.isArray(required) && required.includes(name),
    choices: choicesOf(schema),
    before: [schema.default ?? []].flat().map(String),
  }));
}

function kindOf({ type, format, enum: values, oneOf }: FieldSchema): Field['kind'] {
  if (type === 'array') return 'some_of';
  if (type === 'boolean') return 'yes_or_no';
  if (Array.isArray(values) || Array.isArray(oneOf)) return 'one_of';
  if (type === 'number' || type === 'integer') return type;
  return typeof format === 'string' && Object.hasOwn(formats, format)
    ? formats[format as keyof typeof formats]
    : 'text';
}

function choicesOf({ type, enum: values, enumNames: names, oneOf, items }: FieldSchema): Choice[] {
  const [plain, titled] = type === 'array' ? [items?.enum, items?.anyOf] : [values, oneOf];
  if (Array.isArray(titled)) {
    return (titled as { const?: unknown; title?: unknown }[]).map((each) => ({
      value: text(each.const),
      label: text(each.title) || text(each.const),
    }));
  }
  const labels = Array.isArray(names) ? (names as unknown[]) : [];
  return Array.isArray(plain)
    ? (plain as unknown[]).map((value, at) => ({ value: text(value), label: text(labels[at]) || text(value) }))
    : [];
}

const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 1_000) : '');

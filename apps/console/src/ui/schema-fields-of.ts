export interface Field {
  name: string;
  description?: string;
  required: boolean;
  kind: 'string' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';
  choices: string[];
}

const kinds = ['string', 'number', 'integer', 'boolean'] as const;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The properties of a JSON Schema as fields of a form. */
export function fieldsOf(schema: Record<string, unknown> | null): Field[] {
  const properties = isRecord(schema?.properties) ? schema.properties : {};
  const required: unknown[] = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries(properties).map(([name, property]) => {
    const given = isRecord(property) ? property : {};
    const choices = Array.isArray(given.enum) ? given.enum.filter((one) => typeof one === 'string') : [];
    const isChoice = choices.length > 0 && choices.length === (Array.isArray(given.enum) ? given.enum.length : 0);
    const description = typeof given.description === 'string' ? given.description : undefined;
    const kind = isChoice ? 'choice' : (kinds.find((one) => one === given.type) ?? 'json');
    return { name, description, required: required.includes(name), kind, choices };
  });
}

import { Validator } from '@seriousme/openapi-schema-validator';
import { wholeDocument } from '../../apps/portal/src/documentation/whole-document.js';
import { type ApiDocument, type DescribedOperation, operationsOf, type Schema } from './api-document.js';
import { describedServices } from './described-services.js';

/** Answers without a body: only their status counts, and a redirect's Location. */
const bodiless = new Set(['204', '303']);

describe('the OpenAPI document', () => {
  let document: ApiDocument;
  let operations: DescribedOperation[];

  beforeAll(async () => {
    document = wholeDocument(await describedServices(), []) as ApiDocument;
    operations = operationsOf(document);
  });

  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...document });
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('gives every operation a typed success answer', () => {
    const untyped = operations.flatMap(({ name, responses }) => {
      const answers = Object.entries(responses).filter(([status]) => /^[23]/.test(status));
      if (answers.length === 0) return [`${name}: no answer`];
      return answers
        .filter(([status, { content }]) => !bodiless.has(status) && !typed(Object.values(content ?? {})))
        .map(([status]) => `${name}: ${status}`);
    });
    expect(untyped).toEqual([]);
  });

  it('gives every parameter and every body a schema', () => {
    const untyped = operations.flatMap(({ name, parameters = [], requestBody }) => [
      ...parameters.filter(({ schema }) => !schema).map((parameter) => `${name}: ${parameter.name}`),
      ...(requestBody && !typed(Object.values(requestBody.content ?? {})) ? [`${name}: body`] : []),
    ]);
    expect(untyped).toEqual([]);
  });

  it('says how every operation refuses', () => {
    const silent = operations.filter(
      ({ path, responses }) => !path.startsWith('/api/v1/webhooks/') && responses['default']?.$ref === undefined,
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('has one readable operationId per operation, and the tag of its resource', () => {
    const ids = operations.map(({ operationId }) => operationId ?? '');
    expect(ids.filter((id) => !/^[a-z]+[A-Za-z]*$/.test(id))).toEqual([]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const astray = operations.filter(({ path, tags }) => tags?.join() !== path.split('/')[3]);
    expect(astray.map(({ name, tags }) => `${name}: ${tags?.join()}`)).toEqual([]);
  });

  it('says of every operation which scopes it needs, or that it needs none', () => {
    const unsaid = operations.filter(({ security }) => security === undefined);
    expect(unsaid.map(({ name }) => name)).toEqual([]);
    const open = operations.filter(({ security }) => security?.every((one) => Object.keys(one).length === 0));
    const parts = open.map(({ path }) => path.split('/')[3]);
    const signingIn = ['sign-in', 'sign-in', 'sign-in', 'sign-in'];
    expect(parts.sort()).toEqual(['moves', 'oauth', 'oauth', 'oauth', 'oauth', ...signingIn, 'webhooks']);
  });

  it('has one schema for each name', () => {
    expect(Object.keys(document.components.schemas).filter((name) => name.includes('_'))).toEqual([]);
  });

  it('leaves no object without declared fields, except where it says that any are allowed', () => {
    expect(places(document, isLoose)).toEqual([]);
  });

  it('gives times a format', () => {
    const shapeless = Object.entries(document.components.schemas).flatMap(([name, { properties }]) =>
      Object.entries((properties ?? {}) as Record<string, Schema>)
        .filter(([field, { format }]) => /(^|_)at$|_until$/.test(field) && format !== 'date-time')
        .map(([field]) => `${name}.${field}`),
    );
    expect(shapeless).toEqual([]);
  });
});

function typed(media: { schema?: Schema }[]): boolean {
  return media.length > 0 && media.every(({ schema }) => schema !== undefined && Object.keys(schema).length > 0);
}

function isLoose(schema: Record<string, unknown>): boolean {
  const types = [schema['type']].flat();
  const shaped = ['properties', 'additionalProperties', '$ref', 'allOf', 'anyOf', 'oneOf'].some((key) => key in schema);
  return types.includes('object') && !shaped;
}

function places(value: unknown, wanted: (value: Record<string, unknown>) => boolean, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const found = wanted({ ...value }) ? [path] : [];
  return [...found, ...Object.entries(value).flatMap(([key, entry]) => places(entry, wanted, `${path}/${key}`))];
}

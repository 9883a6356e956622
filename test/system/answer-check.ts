import { Hopeless } from '#libs/testing';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import type { ApiDocument, Operation, Schema } from '../contract/api-document.js';

/** An answer of the portal, as far as its description covers it. */
export interface Answer {
  method: string;
  /** With its query, if any. */
  path: string;
  status: number;
  type: string | null;
  text: string;
}

/** Checks answers against the OpenAPI document, and records which operations were called. */
export interface AnswerCheck {
  /** @throws Hopeless, with the operation and every difference */
  check(answer: Answer): void;
  /** The operationIds whose successful answers were checked. */
  readonly succeeded: ReadonlySet<string>;
}

const id = 'api';
const withoutBody = new Set([204, 303]);

/** Makes every object closed: it has exactly the described fields, unless its schema allows others. */
function closed(schema: Schema): Schema {
  return 'properties' in schema && !('additionalProperties' in schema)
    ? { ...schema, additionalProperties: false }
    : schema;
}

export function answerCheck(document: ApiDocument): AnswerCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formatsPlugin.default(ajv);
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => [name, closed(schema)]);
  ajv.addSchema({ ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } }, id);
  const find = operationFinder(document);
  const compiled = new Map<string, ValidateFunction>();
  const succeeded = new Set<string>();

  /** Compiled on first use: most runs see few operations. */
  const validator = (pointer: string): ValidateFunction => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `${id}#${pointer}` });
    compiled.set(pointer, known);
    return known;
  };

  return {
    succeeded,
    check: ({ method, path, status, type, text }) => {
      const route = new URL(path, 'http://portal').pathname;
      const found = find(method, route);
      if (!found) {
        // A path that no route matches is no operation.
        if (status === 404 || status === 405) return;
        throw new Hopeless(`${method} ${route} answered ${status}, and is not in the OpenAPI document`);
      }
      const { operation, template } = found;
      const say = (what: string): Hopeless =>
        new Hopeless(`${operation.operationId} (${method} ${template}) answered ${status}: ${what}`);
      const media = type?.split(';')[0] ?? '';
      const pointer = answerPointer(operation, method, template, status, media);
      if (!pointer) throw say(`which its description does not know, as ${media || 'nothing'}`);
      if (pointer !== 'no body' && media.endsWith('json')) {
        const validate = validator(pointer);
        if (!validate(JSON.parse(text))) throw say(differences(validate));
      }
      if (status < 400 && operation.operationId) succeeded.add(operation.operationId);
    },
  };
}

/** The location of an answer's schema in the document; null where it is not described. */
function answerPointer(
  { responses }: Operation,
  method: string,
  template: string,
  status: number,
  media: string,
): string | null {
  const described = responses[String(status)];
  if (described?.content?.[media]) {
    return `/${['paths', template, method.toLowerCase(), 'responses', String(status), 'content', media, 'schema'].map(escaped).join('/')}`;
  }
  if (described && withoutBody.has(status)) return 'no body';
  // Bytes, with the type that they were stored with.
  if (described?.content?.['application/octet-stream'] && status < 400) return 'no body';
  if (status >= 400 && media === 'application/problem+json') return '/components/schemas/Problem';
  return null;
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function differences({ errors }: ValidateFunction): string {
  return (errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`)
    .join('; ');
}

type Finder = (method: string, route: string) => { operation: Operation; template: string } | null;

/** Of several matching templates, the one with the fewest parameters wins, as in a service's router. */
function operationFinder(document: ApiDocument): Finder {
  const templates = Object.keys(document.paths)
    .map((template) => ({ template, parameters: template.split('{').length }))
    .toSorted((one, other) => one.parameters - other.parameters)
    .map(({ template }) => ({ template, pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));
  return (method, route) => {
    for (const { template, pattern } of templates) {
      const operation = document.paths[template]?.[method.toLowerCase()];
      if (operation && pattern.test(route)) return { operation, template };
    }
    return null;
  };
}

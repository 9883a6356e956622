import { type ApiDocument, mergeDocuments } from './merge-documents.js';
import { problemResponse, problemSchema, withProblems } from './problem-response.js';
import { webhookPath, webhookSchemas } from './webhook-path.js';

const prefix = '#/components/schemas/';

/**
 * The schemas that the paths refer to, directly or through other schemas. Services also describe the bodies of their
 * jobs and internal routes, which are not part of the public API.
 */
function reachableSchemas(paths: object, schemas: Record<string, unknown>): Record<string, unknown> {
  const found = new Set<string>();
  const waiting: unknown[] = [paths];
  while (waiting.length > 0) {
    JSON.stringify(waiting.pop(), (key, value: unknown) => {
      if (key !== '$ref' || typeof value !== 'string' || !value.startsWith(prefix)) return value;
      const name = value.slice(prefix.length);
      if (!found.has(name)) {
        found.add(name);
        waiting.push(schemas[name]);
      }
      return value;
    });
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}

/** The whole API as one OpenAPI 3.1 document. @param documents of the services, by service name */
export function wholeDocument(documents: ReadonlyMap<string, ApiDocument>, missing: readonly string[]): object {
  const { paths, schemas } = mergeDocuments(documents);
  const bearer = { type: 'http', scheme: 'bearer', description: 'An API key: gh_...' };
  return {
    openapi: '3.1.0',
    info: { title: 'Gatehouse', version: '1' },
    paths: { ...withProblems(paths), ...webhookPath },
    components: {
      schemas: { ...reachableSchemas(paths, schemas), ...webhookSchemas, Problem: problemSchema },
      responses: { Problem: problemResponse },
      securitySchemes: { bearer },
    },
    security: [{ bearer: [] }],
    ...(missing.length > 0 ? { 'x-gatehouse-missing': missing } : {}),
  };
}

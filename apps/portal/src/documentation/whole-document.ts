import { type ApiDocument, mergeDocuments } from './merge-documents.js';
import { problemResponse, problemSchema, withProblems } from './problem-response.js';
import { reachableSchemas } from './reachable-schemas.js';
import { webhookPath, webhookSchemas } from './webhook-path.js';

/** The whole API as one OpenAPI 3.1 document. @param documents of the services, by their names */
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

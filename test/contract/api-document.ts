import { until } from '#libs/testing';

/** The parts of an OpenAPI 3.1 document that the tests read. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
  /** Services that did not answer: their operations are not in it. */
  'x-gatehouse-missing'?: string[];
}

/** The API of an installation, once all its services describe theirs. */
export function apiDocument(origin: string): Promise<ApiDocument> {
  return until('the description of the API is whole', async () => {
    const document = (await (await fetch(`${origin}/api/v1/openapi.json`)).json()) as ApiDocument;
    return document['x-gatehouse-missing'] ? null : document;
  });
}

export interface Operation {
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; schema?: Schema }[];
  requestBody?: Content;
  responses: Record<string, Content & { $ref?: string }>;
}

interface Content {
  content?: Record<string, { schema?: Schema }>;
}

export interface Schema {
  [keyword: string]: unknown;
}

export interface DescribedOperation extends Operation {
  method: string;
  path: string;
  /** For example `GET /api/v1/apps`, for messages. */
  name: string;
}

export function operationsOf(document: ApiDocument): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      name: `${method.toUpperCase()} ${path}`,
    })),
  );
}

/** The part of an OpenAPI 3.1 document that is merged. */
export interface ApiDocument {
  paths?: Record<string, unknown>;
  components?: { schemas?: Record<string, unknown> };
}

export interface MergedParts {
  paths: Record<string, unknown>;
  schemas: Record<string, unknown>;
}

/**
 * Merges the documents of several services: their paths below `/api/v1/`, and all their schemas. If two services have
 * different schemas of one name, the later one is renamed `<service>_<name>`, with all references to it.
 */
export function mergeDocuments(documents: ReadonlyMap<string, ApiDocument>): MergedParts {
  const merged: MergedParts = { paths: {}, schemas: {} };
  for (const [service, document] of documents) {
    const renamed = new Map<string, string>();
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      const known = merged.schemas[name];
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
        renamed.set(name, `${service}_${name}`);
    }
    const { paths = {}, components } = withNames(document, renamed);
    for (const [path, item] of Object.entries(paths)) if (path.startsWith('/api/v1/')) merged.paths[path] = item;
    for (const [name, schema] of Object.entries(components?.schemas ?? {})) {
      merged.schemas[renamed.get(name) ?? name] = schema;
    }
  }
  return merged;
}

function withNames(document: ApiDocument, renamed: ReadonlyMap<string, string>): ApiDocument {
  if (renamed.size === 0) return document;
  const prefix = '#/components/schemas/';
  const text = JSON.stringify(document, (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string' || !value.startsWith(prefix)) return value;
    const name = value.slice(prefix.length);
    return `${prefix}${renamed.get(name) ?? name}`;
  });
  return JSON.parse(text) as ApiDocument;
}

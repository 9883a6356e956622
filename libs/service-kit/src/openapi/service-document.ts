import type { INestApplication } from '@nestjs/common';
import { ApiExtension, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

const open = 'x-gatehouse-open';

/** For a view: it may have further fields, such as those of a manifest that this version does not know. */
export const OpenSchema = (): ClassDecorator => ApiExtension(open, true);

/**
 * The service's own part of the API description (OpenAPI 3.1), made from its controllers; the portal joins the parts.
 */
export function serviceDocument(app: INestApplication, name: string): OpenAPIObject {
  const document = SwaggerModule.createDocument(
    app,
    new DocumentBuilder().setTitle(name).setOpenAPIVersion('3.1.0').build(),
  );
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    if (!(open in schema) || !document.components?.schemas) continue;
    const { [open]: _mark, ...marked } = schema;
    document.components.schemas[name] = { ...marked, additionalProperties: true };
  }
  return document;
}

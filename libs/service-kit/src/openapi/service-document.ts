import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

/** The service's own part of the API's description (OpenAPI 3.1), made of its controllers; the portal joins the parts. */
export function serviceDocument(app: INestApplication, name: string): OpenAPIObject {
  return SwaggerModule.createDocument(app, new DocumentBuilder().setTitle(name).setOpenAPIVersion('3.1.0').build());
}

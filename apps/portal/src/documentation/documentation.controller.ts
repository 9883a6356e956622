import { PublicRoute } from '#libs/service-kit';
import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ApiDescription } from './api-description.js';
import { frontPage, frontPagePolicy } from './front-page.js';

@ApiExcludeController()
@PublicRoute()
@Controller()
export class DocumentationController {
  constructor(@Inject(ApiDescription) private readonly description: ApiDescription) {}

  @Get('api/v1/openapi.json')
  openapi(): Promise<object> {
    return this.description.read();
  }

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', frontPagePolicy)
  page(): string {
    return frontPage;
  }
}

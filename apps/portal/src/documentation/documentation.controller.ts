import { PublicRoute } from '#libs/service-kit';
import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ApiDescription } from './api-description.js';
import { frontPage } from './front-page.js';
import { ServicesHealth } from './services-health.js';

@ApiExcludeController()
@PublicRoute()
@Controller()
export class DocumentationController {
  constructor(
    @Inject(ApiDescription) private readonly description: ApiDescription,
    @Inject(ServicesHealth) private readonly health: ServicesHealth,
  ) {}

  @Get('api/v1/openapi.json')
  openapi(): Promise<object> {
    return this.description.read();
  }

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
  async page(): Promise<string> {
    return frontPage(await this.health.read());
  }
}

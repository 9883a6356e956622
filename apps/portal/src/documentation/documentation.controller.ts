import { PublicRoute } from '#libs/service-kit';
import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ApiDescription } from './api-description.js';

@ApiExcludeController()
@PublicRoute()
@Controller()
export class DocumentationController {
  constructor(private readonly description: ApiDescription) {}

  @Get('api/v1/openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  openapi(): Promise<Buffer> {
    return this.description.read();
  }
}

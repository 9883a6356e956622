import { PublicRoute } from '#libs/service-kit';
import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ApiDescription } from './api-description.js';

@ApiExcludeController()
@PublicRoute()
@Controller()
export class DocumentationController {
  constructor(private readonly description: ApiDescription) {}

  @Get('api/v1/openapi.json')
  openapi(): Promise<object> {
    return this.description.read();
  }
}

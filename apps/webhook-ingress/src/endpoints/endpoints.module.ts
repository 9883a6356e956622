import { Module } from '@nestjs/common';
import { AppChangedHandler } from './app-changed.handler.js';
import { EndpointRepository } from './endpoint.repository.js';
import { EndpointService } from './endpoint.service.js';

@Module({
  controllers: [AppChangedHandler],
  providers: [EndpointRepository, EndpointService],
  exports: [EndpointService],
})
export class EndpointsModule {}

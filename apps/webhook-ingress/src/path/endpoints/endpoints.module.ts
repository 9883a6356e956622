import { Module } from '@nestjs/common';
import { AppChangedHandler } from './app-changed.handler.js';
import { EndpointService } from './endpoint.service.js';

@Module({
  controllers: [AppChangedHandler],
  providers: [EndpointService],
  exports: [EndpointService],
})
export class EndpointsModule {}

import { Caller, Flag, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AppService } from './app.service.js';

class ClosedProject {
  @Flag() closed: boolean;
}

/** Sets whether the caller's project is closed, or says that it has arrived. The portal calls this before it commits the change. */
@ApiExcludeController()
@Controller('internal/project')
@RequireScopes('service')
export class ClosedProjectController {
  constructor(private readonly apps: AppService) {}

  @Post('closed')
  @HttpCode(204)
  set(@Caller() caller: Principal, @Body() { closed }: ClosedProject): Promise<void> {
    return this.apps.projectClosed(caller, closed);
  }

  @Post('arrived')
  @HttpCode(204)
  arrived(@Caller() caller: Principal): Promise<void> {
    return this.apps.projectArrived(caller);
  }
}

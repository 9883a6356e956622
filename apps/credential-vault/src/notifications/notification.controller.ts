import { Caller, notFound, type Principal, RequireScopes, Text } from '#libs/service-kit';
import { Body, Controller, Delete, Get, Header, HttpCode, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { NotificationTargetService } from './notification-target.service.js';
import { NotificationRepository } from './notification.repository.js';

class PutNotifications {
  @Text(2_048, { minLength: 8, description: 'URL to which changes of a connection’s state are posted' }) url: string;
  @Text(200, { optional: true, description: 'whsec_ and base64. Default: generated' }) secret?: string;
}

class NotificationsView {
  @ApiProperty() url: string;
  @ApiProperty({ type: 'integer', description: 'Changes that are still to be sent' }) waiting: number;
  @ApiProperty({
    type: 'integer',
    description: 'Changes that were given up; they are sent when the receiver is set again',
  })
  given_up: number;
}

class NotificationsMade {
  @ApiProperty() url: string;
  @ApiProperty({ description: 'Shown only once' }) secret: string;
}

/** Whether and where a project is notified when a connection's state changes. */
@ApiTags('credentials')
@Controller('api/v1/credentials/notifications')
export class NotificationController {
  constructor(
    private readonly notifications: NotificationRepository,
    private readonly targets: NotificationTargetService,
  ) {}

  @Get()
  @RequireScopes('credentials:read')
  @ApiOperation({ summary: 'Read the receiver of notifications', operationId: 'getCredentialNotifications' })
  @ApiOkResponse({ type: NotificationsView })
  async get(@Caller() caller: Principal): Promise<NotificationsView> {
    const target = await this.notifications.target(caller);
    if (!target) throw notFound('notifications', caller.projectId);
    return { url: target.url, ...(await this.notifications.counts(target.project_id)) };
  }

  @Put()
  @RequireScopes('credentials:write')
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Set the URL to which changes of connections are posted',
    operationId: 'putCredentialNotifications',
  })
  @ApiOkResponse({ type: NotificationsMade })
  async put(@Caller() caller: Principal, @Body() { url, secret }: PutNotifications): Promise<NotificationsMade> {
    return { url, secret: await this.targets.put(caller, url, secret ?? null) };
  }

  @Delete()
  @HttpCode(204)
  @RequireScopes('credentials:write')
  @ApiOperation({ summary: 'Remove the receiver of notifications', operationId: 'deleteCredentialNotifications' })
  @ApiNoContentResponse()
  delete(@Caller() caller: Principal): Promise<void> {
    return this.notifications.deleteTarget(caller);
  }
}

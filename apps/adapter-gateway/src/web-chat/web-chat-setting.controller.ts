import { AuditLog } from '#libs/audit';
import { scopeOf } from '#libs/contracts';
import { Database } from '#libs/database';
import { Caller, idOf, notFound, type Principal, Problem, RequireScopes, Text } from '#libs/service-kit';
import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { AppRow } from '../entities/app.entity.js';
import { AppService } from '../manage/apps/app.service.js';
import { InstalledApps } from '../path/apps/installed-apps.js';
import { type MailSetting, WebChatAddressRepository } from './web-chat-address.repository.js';
import { WebChatMailApps } from './web-chat-mail-app.js';

class SetWebChat {
  @Text(100, { nullable: true, description: 'App by which answers go to visitors who are away; null: none goes' })
  mail_app_id: string | null;
  @Text(120, {
    optional: true,
    nullable: true,
    minLength: 1,
    description: 'Subject of those mails; absent: one that names the App',
  })
  subject?: string | null;
}

class WebChatView implements MailSetting {
  @ApiProperty(idOf('app')) app_id: string;
  @ApiProperty({ ...idOf('app'), nullable: true }) mail_app_id: string | null;
  @ApiProperty({ type: String, nullable: true }) subject: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why no mail can be sent now; null: nothing is known' })
  problem: string | null;
  @ApiProperty({ description: 'A reply to a mail continues the conversation' }) replies: boolean;
}

@ApiTags('apps')
@Controller('api/v1/apps/:id/web-chat')
export class WebChatSettingController {
  constructor(
    private readonly apps: AppService,
    private readonly installed: InstalledApps,
    private readonly mailApps: WebChatMailApps,
    private readonly settings: WebChatAddressRepository,
    private readonly audit: AuditLog,
    private readonly db: Database,
  ) {}

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({
    operationId: 'getWebChat',
    summary: 'By which App answers of a web chat go to visitors who are away',
  })
  @ApiOkResponse({ type: WebChatView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<WebChatView> {
    const app = await this.chat(caller, id);
    const { mail_app_id, subject } = await this.settings.setting(app.id);
    const mailApp = mail_app_id === null ? null : await this.mailApps.find(scopeOf(app), mail_app_id);
    const isUsable = mailApp !== null && typeof mailApp !== 'string';
    return {
      app_id: app.id,
      mail_app_id,
      subject,
      problem: typeof mailApp === 'string' ? mailApp : null,
      replies: isUsable && mailApp.canReply,
    };
  }

  @Put()
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'setWebChat',
    summary: 'Choose by which App answers of a web chat go to visitors who are away',
  })
  @ApiOkResponse({ type: WebChatView })
  async set(@Caller() caller: Principal, @Param('id') id: string, @Body() body: SetWebChat): Promise<WebChatView> {
    const app = await this.chat(caller, id);
    const { mail_app_id, subject = null } = body;
    if (subject !== null && (/\p{Cc}|\u2028|\u2029/u.test(subject) || subject.trim() === '')) {
      throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', [
        { field: 'subject', message: 'must be one line of text' },
      ]);
    }
    if (mail_app_id !== null) {
      const mailApp = await this.mailApps.find(scopeOf(app), mail_app_id);
      if (typeof mailApp === 'string') throw new Problem(422, 'no_mail_app', mailApp);
    }
    await this.db.transaction(async (tx) => {
      const before = await this.settings.set(tx, app.id, scopeOf(app), { mail_app_id, subject });
      const change = { before: { ...before }, after: { mail_app_id, subject } };
      await this.audit.append(tx, caller, { action: 'web_chat.mail_set', subject: app.id, ...change });
    });
    return this.get(caller, id);
  }

  /** @throws Problem 404 */
  private async chat(caller: Principal, id: string): Promise<AppRow> {
    const app = await this.apps.get(caller, id);
    const { adapter } = await this.installed.get(app.id);
    if (adapter?.manifest.message?.mailbox !== true) throw notFound('web chat', id);
    return app;
  }
}

import { Caller, type Principal, RequireScopes, Text, TextList } from '#libs/service-kit';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PreviewRepository } from './preview.repository.js';
import { shownText } from './session-feed.js';

class PreviewsOf {
  @Text(100) app_id: string;
  @TextList(1_000, 1_000, { description: 'Channel addresses' }) addresses: string[];
}

/** For the gateway, whose web chats show an answer while it is written. */
@ApiExcludeController()
@Controller('internal/previews')
@RequireScopes('service')
export class PreviewController {
  constructor(private readonly previews: PreviewRepository) {}

  /** Of turns that are being worked on, and whose answer goes to these addresses of the App. */
  @Post()
  @HttpCode(200)
  async read(
    @Caller() caller: Principal,
    @Body() { app_id: appId, addresses }: PreviewsOf,
  ): Promise<{ turns: { turn_id: string; address: string; text: string }[] }> {
    const rows = await this.previews.toAddresses(caller, appId, addresses);
    return { turns: rows.map(({ text, ...row }) => ({ ...row, text: shownText(text) })) };
  }
}

import { Module } from '@nestjs/common';
import { AppsModule } from '../apps.module.js';
import { Mailbox } from './mailbox.js';
import { WebChatController } from './web-chat.controller.js';
import { WebChatFileRepository } from './web-chat-file.repository.js';
import { WebChatFiles } from './web-chat-files.js';
import { WebChatPreviews } from './web-chat-previews.js';
import { WebChatRepository } from './web-chat.repository.js';
import { WebChatService } from './web-chat.service.js';
import { WebChatSites } from './web-chat-sites.js';
import { WebChatStreams } from './web-chat-streams.js';

@Module({
  imports: [AppsModule],
  controllers: [WebChatController],
  providers: [
    Mailbox,
    WebChatFileRepository,
    WebChatFiles,
    WebChatPreviews,
    WebChatRepository,
    WebChatService,
    WebChatSites,
    WebChatStreams,
  ],
  exports: [Mailbox, WebChatFiles],
})
export class WebChatModule {}

import { Module } from '@nestjs/common';
import { AppsModule } from '../apps.module.js';
import { Mailbox } from './mailbox.js';
import { WebChatAddresses } from './web-chat-addresses.js';
import { WebChatAddressRepository } from './web-chat-address.repository.js';
import { WebChatController } from './web-chat.controller.js';
import { WebChatMailApps } from './web-chat-mail-app.js';
import { WebChatMailController } from './web-chat-mail.controller.js';
import { WebChatMailReplies } from './web-chat-mail-replies.js';
import { WebChatMailRepository } from './web-chat-mail.repository.js';
import { WebChatMails } from './web-chat-mails.js';
import { WebChatSettingController } from './web-chat-setting.controller.js';
import { WebChatFileRepository } from './web-chat-file.repository.js';
import { WebChatFiles } from './web-chat-files.js';
import { WebChatPresence } from './web-chat-presence.js';
import { WebChatPreviews } from './web-chat-previews.js';
import { WebChatRepository } from './web-chat.repository.js';
import { WebChatService } from './web-chat.service.js';
import { WebChatSites } from './web-chat-sites.js';
import { WebChatStreams } from './web-chat-streams.js';

@Module({
  imports: [AppsModule],
  controllers: [WebChatController, WebChatMailController, WebChatSettingController],
  providers: [
    Mailbox,
    WebChatAddresses,
    WebChatAddressRepository,
    WebChatFileRepository,
    WebChatFiles,
    WebChatMailApps,
    WebChatMailReplies,
    WebChatMailRepository,
    WebChatMails,
    WebChatPresence,
    WebChatPreviews,
    WebChatRepository,
    WebChatService,
    WebChatSites,
    WebChatStreams,
  ],
  exports: [Mailbox, WebChatFiles, WebChatMailReplies, WebChatMailRepository],
})
export class WebChatModule {}

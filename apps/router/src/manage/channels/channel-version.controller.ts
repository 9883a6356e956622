import { Controller } from '@nestjs/common';
import { RuleHistory } from '../history/rule-history.js';
import { VersionsOf } from '../history/versions-of.js';
import { ChannelView } from './channel.dto.js';
import { ChannelService } from './channel.service.js';

const channelVersions = VersionsOf({
  kind: 'channel',
  tag: 'channels',
  noun: 'Channel',
  id: 'appId',
  read: 'channels:read',
  write: 'channels:write',
  view: ChannelView,
  restores: 'Make a channel as it was in an earlier version',
});

@Controller('api/v1/channels/:appId/versions')
export class ChannelVersionController extends channelVersions {
  constructor(history: RuleHistory, channels: ChannelService) {
    super(history, channels);
  }
}

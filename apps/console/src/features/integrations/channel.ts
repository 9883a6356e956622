import { answerWithEtag, api } from '../../api/client.js';
import type { Schema } from '../../api/named-schema.js';
import type { Tagged } from '../../api/use-guarded-edit.js';

export type Channel = Schema<'ChannelView'>;

export const readChannel = (appId: string, signal?: AbortSignal): Promise<Tagged<Channel>> =>
  answerWithEtag(api.GET('/api/v1/channels/{appId}', { params: { path: { appId } }, signal }));

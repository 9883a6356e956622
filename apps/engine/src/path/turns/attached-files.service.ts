import { imageTypeOf, type TurnInput, type TurnRunPayload } from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { AttachedFile } from '../model/model.js';
import { type EngineSettings, GATEWAY, SETTINGS } from '../../settings.js';
import { fetchAttachment } from '../tools/builtin/read-attachment.js';
import type { Claim } from '../../entities/turn.entity.js';
import { VoiceNotes } from '../transcripts/voice-notes.service.js';
import { TurnBudget } from './turn-budget.service.js';
import {
  type AttachmentAbilities,
  type Attachments,
  type GivenAttachments,
  isAudio,
  type TurnAttachment,
  type TurnScope,
} from '../tools/tool.js';

const mostShown = 10;
/** Of what says that it is an image or a PDF: fetching each may be as much work for its provider as fetching the message. */
const mostFetched = 2 * mostShown;

/**
 * The images and PDFs among the attachments of a turn's event, for a model that takes them, fetched at each attempt; and
 * the words of its voice notes, for any.
 */
@Injectable()
export class AttachedFiles implements Attachments {
  constructor(
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    private readonly voiceNotes: VoiceNotes,
    private readonly budget: TurnBudget,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  heard(payload: TurnRunPayload, claim: Claim, input: TurnInput, signal: AbortSignal): Promise<TurnInput> {
    return this.voiceNotes.heard(payload, claim, input, signal, (agent, contactId) =>
      this.budget.isSpent(agent, { projectId: payload.project_id, contactId }),
    );
  }

  async of(
    turn: TurnScope,
    { takesImages, takesPdf, readsFiles, isRepeated }: AttachmentAbilities,
  ): Promise<GivenAttachments> {
    const given: GivenAttachments = { files: [], leftOut: [], trust: 'own' };
    let fetches = 0;
    let bytesLeft = this.settings.TURN_IMAGE_BYTES;
    for (const attachment of turn.attachments.filter((each) => !isAudio(each))) {
      const { id, name } = attachment;
      const kind = kindOf(attachment);
      const leaveOut = (why: string): void => {
        if (kind === 'image' || !readsFiles) given.leftOut.push({ id, name, why });
      };
      if (kind === 'image' && !takesImages) leaveOut('text_only');
      else if (kind === null || (kind === 'pdf' && !takesPdf)) leaveOut('no_tool');
      else if (isRepeated) leaveOut('not_recorded');
      else if (given.files.length >= mostShown || fetches >= mostFetched) leaveOut('too_many');
      else {
        fetches += 1;
        // Also when it is gone by now: an earlier attempt may have seen it.
        given.trust = 'untrusted';
        const file = await this.fetched(turn, attachment, kind, bytesLeft);
        if (typeof file === 'string') leaveOut(file);
        else {
          given.files.push(file);
          bytesLeft -= Buffer.byteLength(file.data, 'base64');
        }
      }
    }
    return given;
  }

  /** @returns why there is none */
  private async fetched(
    turn: TurnScope,
    attachment: TurnAttachment,
    kind: ShownKind,
    maxBytes: number,
  ): Promise<AttachedFile | string> {
    const fetched = await fetchAttachment(this.gateway, turn, attachment);
    if ('error' in fetched) return fetched.error.code;
    const mediaType = kind === 'image' ? imageTypeOf(fetched.bytes) : pdfTypeOf(fetched.bytes);
    if (mediaType === null) return `not_${kind}`;
    if (fetched.bytes.length > maxBytes) return 'too_large';
    return { id: attachment.id, mediaType, data: fetched.bytes.toString('base64') };
  }
}

type ShownKind = 'image' | 'pdf';

/** As its sender's program describes it: what it is, its bytes say once they are here. Null: it is read as text only. */
function kindOf({ name, contentType }: TurnAttachment): ShownKind | null {
  const isUnnamed = contentType === '' || contentType === 'application/octet-stream';
  if (isUnnamed ? /\.(png|jpe?g|gif|webp)$/i.test(name) : /^image\//i.test(contentType)) return 'image';
  return (isUnnamed ? /\.pdf$/i.test(name) : /^application\/pdf\b/i.test(contentType)) ? 'pdf' : null;
}

/** Programs write something before it now and then, and readers accept it. */
const headBytes = 1_024;

const pdfTypeOf = (bytes: Buffer): string | null =>
  bytes.subarray(0, headBytes).includes('%PDF-') ? 'application/pdf' : null;

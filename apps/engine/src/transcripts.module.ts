import { Module } from '@nestjs/common';
import { AgentsModule } from './agents.module.js';
import { ModelModule } from './path/model/model.module.js';
import { Transcriber } from './path/transcripts/transcriber.service.js';
import { TranscriptRepository } from './path/transcripts/transcript.repository.js';
import { VoiceNotes } from './path/transcripts/voice-notes.service.js';
import { ProviderAccessModule } from './path/providers/provider-access.module.js';

@Module({
  imports: [AgentsModule, ModelModule, ProviderAccessModule],
  providers: [Transcriber, TranscriptRepository, VoiceNotes],
  exports: [VoiceNotes],
})
export class TranscriptsModule {}

import { Module } from '@nestjs/common';
import { ContactMemories } from './contact-memory.repository.js';

@Module({ providers: [ContactMemories], exports: [ContactMemories] })
export class MemoriesModule {}

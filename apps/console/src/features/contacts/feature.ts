import { Contact } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const contactsFeature: Feature = {
  navigation: [
    { group: 'messages', label: navigationTexts.contacts, icon: Contact, path: '/contacts', scope: 'contacts:read' },
  ],
};

// Spanish.

import { botEs } from '../words/bot-es.js';
import { mailEs } from '../words/mail-es.js';
import { noticeEs } from '../words/notice-es.js';
import { pageEs } from '../words/page-es.js';
import type { Texts } from './en.js';

export const es: Texts = {
  intl: 'es-ES',
  card: {
    note: 'Los enlaces de solicitud llevan atribución: úsalos exactamente como están.',
    via: (source) => `vía ${source}`,
    apply: 'Solicitar',
    remote: 'Remoto',
    onSite: 'Presencial',
    noTitle: 'Oferta sin título',
    noLink: 'No se indicó ningún enlace de solicitud.',
    linkWithheld: 'Enlace de solicitud retenido: no es una dirección web utilizable.',
    estimated: (pay, source) => `${pay}, estimado por ${source}`,
    payUpTo: (pay) => `hasta ${pay}`,
    payUnits: { year: 'año', month: 'mes', week: 'semana', day: 'día', hour: 'hora' },
    seenBefore: (date) => `ya vista, por primera vez el ${date}`,
    twice: 'Sale dos veces: la suscripción de otro miembro también la anuncia aquí, con su propio enlace.',
    someTwice: (count) =>
      `${count} de ellas salen dos veces: la suscripción de otro miembro también las anuncia aquí, con sus propios enlaces.`,
    matched: (reasons) => `coincide con ${reasons}`,
    posted: (age) => `publicada ${age}`,
    today: 'hoy',
    yesterday: 'ayer',
    daysAgo: (days) => `hace ${days} días`,
    postings: (count) => (count === 1 ? '1 oferta nueva' : `${count} ofertas nuevas`),
    more: (count) => `y ${count} más`,
    part: (number, of) => `parte ${number} de ${of}`,
    save: 'Guardar',
    applied: 'Ya postulé',
    dismiss: 'No es para mí',
    pick: 'Guardar, ya postulé o no es para mí: elige una oferta',
    otherTags: 'Otras',
    ownerWanted:
      'Hace falta la persona suscrita a las ofertas de este canal, pero no acepta mensajes directos: {/jobs list} muestra qué hacer.',
  },
  describe: {
    everything: 'Todas las ofertas',
    remote: 'en remoto',
    country: (country) => `en ${country}`,
    quoted: (phrase) => `«${phrase}»`,
    include: (words) => `que mencionen ${words}`,
    exclude: (words) => `sin ${words}`,
    minSalary: (pay) => `desde ${pay}`,
    payKnown: 'solo con salario indicado',
    immediate: 'en cuanto aparecen',
    hourly: 'cada hora',
    daily: (at, zone) => `cada día a las ${at} ${zone}`,
    weekly: (day, at, zone) => `cada semana, el ${day} a las ${at} ${zone}`,
    cron: (cron, zone) => `según "${cron}" ${zone}`,
    days: {
      sunday: 'domingo',
      monday: 'lunes',
      tuesday: 'martes',
      wednesday: 'miércoles',
      thursday: 'jueves',
      friday: 'viernes',
      saturday: 'sábado',
    },
  },
  mail: mailEs,
  page: pageEs,
  bot: botEs,
  notice: noticeEs,
};

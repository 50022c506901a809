// Spanish notices to owners.
import type { NoticeTexts } from './notice-en.js';

export const noticeEs: NoticeTexts = {
  left: (count, days) =>
    `Me quitaron de un servidor de Discord, así que las suscripciones que publican allí se han detenido (${count}). Si me invitas otra vez, siguen; con /jobs edit las cambias de sitio; tras ${days} días se borran.`,
  token: (source) =>
    `El portal de empleo ya no acepta tu token de la API, así que tus suscripciones esperan. Renuévalo en la página de tokens de ${source} y guarda el nuevo con /token set; mientras tanto no se pierde nada.`,
  destination: (sink) =>
    `Las entregas por ${sink} se han detenido. /jobs list dice por qué; arréglalo y usa /jobs resume.`,
  posting: (sink) =>
    `Una oferta no se pudo enviar por ${sink} tras cinco intentos y quedó apartada; las demás siguieron. /jobs history dice más.`,
  expired: (count, sink) =>
    `No se pudo llegar a ${sink} durante tres días, así que ${count} oferta(s) no se enviaron. /jobs history dice más.`,
  gap: 'Desde la última vez han cambiado todas las ofertas de una suscripción, así que puede faltar alguna. Ahora miro más a menudo durante un día; un filtro más estrecho lo evita.',
  silence: (days) =>
    `Nada ha coincidido con una suscripción en ${days} días. Un filtro más amplio puede ayudar: menos palabras, más etiquetas o ningún país. /jobs preview muestra lo que encontraría.`,
};

const en = {
  choose: (id: string) => `Choose ${id}`,
  atMost: (most: number) => `At most ${most} at once.`,
  cancel: 'Cancel what is chosen',
  replay: 'Send what is chosen again',
  will: (count: number) => `This will run ${count === 1 ? 'once' : `${count} times`}:`,
  leftOut: 'Left out:',
  result: (done: number, all: number) => `${done} of ${all} done`,
  states: {
    done: 'Done',
    stored: 'Stored for a second operator',
    refused: 'Refused:',
    unknown: 'It is not known whether it ran:',
  },
};

const pt: typeof en = {
  choose: (id) => `Escolher ${id}`,
  atMost: (most) => `No máximo ${most} de uma vez.`,
  cancel: 'Cancelar os escolhidos',
  replay: 'Reenviar os escolhidos',
  will: (count) => `Isto será executado ${count === 1 ? 'uma vez' : `${count} vezes`}:`,
  leftOut: 'Ficou de fora:',
  result: (done, all) => `${done} de ${all} feitos`,
  states: {
    done: 'Feito',
    stored: 'Aguardando um segundo operador',
    refused: 'Recusado:',
    unknown: 'Não se sabe se foi executado:',
  },
};

export const bulkTexts = { en, pt };

/**
 * What people at work talk about, for the generated conversations. In a phrase, {s} is the name of the subject, {v} a
 * value, and {o} an earlier value. Each phrase was written for this file.
 */

/** Where the value of a fact is drawn from. */
export type ValueKind = 'day' | 'month' | 'amount' | 'count' | 'person' | 'city' | 'reason' | 'thing';

/** Something that can be said of a subject, and asked later. */
export interface Fact {
  value: ValueKind;
  /** Says it and names the subject. */
  named: readonly string[];
  /** Says it, and only the turns around it tell the subject. */
  unnamed: readonly string[];
  /** What the other person says first, and an answer that means nothing without it. */
  cued: readonly (readonly [cue: string, answer: string])[];
  /** In a later conversation: the value has changed from {o} to {v}. */
  changed: readonly string[];
  asked: readonly string[];
  /** Asks for both values. */
  askedChange: string;
}

/** A kind of subject. */
export interface SubjectKind {
  names: readonly string[];
  /** Begins to talk about the subject. */
  openings: readonly string[];
  /** Goes on about it, without a fact. */
  chat: readonly string[];
  facts: readonly Fact[];
}

const contract: SubjectKind = {
  names: [
    'Brightwater',
    'Halden Logistics',
    'Corvo Print',
    'Meridian Cleaning',
    'Sattler Freight',
    'Ostara Hosting',
  ],
  openings: [
    'Shall we go through {s}? Their paper is on my desk.',
    'I finally got hold of {s} this morning.',
    'Before I forget, {s} wrote again.',
    'Legal came back about {s}.',
  ],
  chat: [
    'With {s} it is always the small print that takes the afternoon.',
    'Their account manager is new and reads everything twice.',
    'I compared the terms with the ones from last year, nothing odd.',
    'Accounting would like {s} to send one invoice, not four.',
    'Honestly, {s} has been the least trouble of all our suppliers.',
    'They asked for references, I gave them two.',
    'The liability clause is the part that I do not like.',
    'Did {s} ever answer about the insurance?',
    'We should keep a second supplier warm, to be safe.',
    'Somebody at {s} keeps calling the front desk about it.',
  ],
  facts: [
    {
      value: 'amount',
      named: ['{s} will do it for {v} a month, everything included.', 'The quote from {s} is {v} monthly.'],
      unnamed: [
        'They came down to {v} a month in the end.',
        'It is {v} every month, and that covers all of it.',
      ],
      cued: [
        ['And how much do they charge?', '{v}, and not a cent less.'],
        ['Did they move on price?', 'Yes, we shook hands on {v}.'],
      ],
      changed: ['{s} raised its rate, it is {v} a month now.', 'From spring on we pay {v} to {s}, not {o}.'],
      asked: ['How much does {s} charge?', 'What do we pay {s} for its service?'],
      askedChange: 'How did the price of {s} change?',
    },
    {
      value: 'month',
      named: ['The agreement with {s} runs out in {v}.', 'We are bound to {s} until {v}.'],
      unnamed: ['It runs until {v}, then we are free.', 'The whole thing lapses in {v} unless we renew.'],
      cued: [
        ['How long are we bound?', 'Only to {v}.'],
        ['And when can we leave?', '{v}, if we give notice in time.'],
      ],
      changed: ['We extended {s} to {v}.', '{s} now ends in {v} rather than {o}.'],
      asked: ['When does the contract with {s} end?', 'In which month can we leave {s}?'],
      askedChange: 'How was the end of the contract with {s} moved?',
    },
    {
      value: 'person',
      named: ['{v} will sign for {s} on our side.', 'For {s}, the signature has to come from {v}.'],
      unnamed: ['{v} has to put the name under it.', 'It goes to {v} for signature.'],
      cued: [
        ['Whose signature do they want?', '{v}, as with the last one.'],
        ['Does it need the board?', 'No, {v} is enough.'],
      ],
      changed: [
        '{v} took over the signing for {s} from {o}.',
        '{o} is away, so {v} signs the papers of {s}.',
      ],
      asked: ['Who signs the contract with {s}?', 'Whose signature does {s} need?'],
      askedChange: 'Who was to sign for {s} at first, and who later?',
    },
    {
      value: 'reason',
      named: [
        'We turned down the first draft of {s} because of {v}.',
        'What bothered legal about {s} was {v}.',
      ],
      unnamed: ['We sent the draft back because of {v}.', 'It failed on {v}, of all things.'],
      cued: [
        ['Why was the draft rejected?', 'It was {v}.'],
        ['What was wrong with the draft?', 'Mostly {v}, the rest was fine.'],
      ],
      changed: [
        'Now legal objects to {s} for another reason: {v}.',
        'With {s}, {o} is settled; what is left is {v}.',
      ],
      asked: ['Why was the draft of {s} rejected?', 'What did our lawyers object to in the papers of {s}?'],
      askedChange: 'Which objections did legal have to {s}?',
    },
  ],
};

const project: SubjectKind = {
  names: ['Lantern', 'Bluegate', 'Kestrel', 'Paperboat', 'Northwind', 'Copperfield', 'Tandem'],
  openings: [
    'So, {s}. Where are we?',
    'I have {s} on my list for today.',
    'The steering group asked about {s} again.',
    'Quick word on {s}, if you have a minute.',
  ],
  chat: [
    'The team on {s} is tired, you can hear it in the stand-ups.',
    'I moved the tickets around so that the board makes sense again.',
    'There is a demo of {s} on the shared drive.',
    'Testing found two odd things, nothing that blocks.',
    'I would rather ship {s} small than ship it late.',
    'We still have no owner for the documentation.',
    'Somebody should tell sales what {s} will not do.',
    'The numbers from the pilot look better than I feared.',
    'Everybody wants a say in {s}, that is the trouble.',
    'Let us keep the scope where it is.',
  ],
  facts: [
    {
      value: 'month',
      named: ['{s} goes live in {v}.', 'We told everybody that {s} will be out in {v}.'],
      unnamed: ['{v} is when we switch it on for everybody.', 'I promised the board {v}.'],
      cued: [
        ['And when is the launch?', 'In {v}, if nothing burns.'],
        ['Is there a date now?', 'We say {v}.'],
      ],
      changed: ['{s} slipped, we are looking at {v}.', 'The launch of {s} is {v} now, {o} was too early.'],
      asked: ['When is the launch of {s}?', 'In which month do users receive {s}?'],
      askedChange: 'How was the launch of {s} postponed?',
    },
    {
      value: 'person',
      named: ['{v} leads {s} from now on.', 'I asked {v} to run {s}.'],
      unnamed: ['{v} is in charge of it from Monday.', 'I gave the whole thing to {v}.'],
      cued: [
        ['Who has the lead?', '{v}, since last week.'],
        ['Who is responsible now?', 'Ask {v}.'],
      ],
      changed: ['{v} takes over {s} from {o}.', '{o} hands {s} to {v}.'],
      asked: ['Who is the project lead of {s}?', 'Which colleague is responsible for {s}?'],
      askedChange: 'Who led {s} first, and who replaced them?',
    },
    {
      value: 'amount',
      named: ['We have {v} for {s} this year.', 'Finance gave {s} {v}.'],
      unnamed: ['We got {v} for it, with some luck.', 'Finance approved {v} and asked no questions.'],
      cued: [
        ['What budget do we have?', '{v} until the end of the year.'],
        ['Did finance agree?', 'To {v}, yes.'],
      ],
      changed: ['Finance cut {s} to {v}.', 'The money for {s} went from {o} to {v}.'],
      asked: ['What is the budget of {s}?', 'How much was approved for {s}?'],
      askedChange: 'How did the budget of {s} change?',
    },
    {
      value: 'reason',
      named: ['{s} is late because of {v}.', 'What holds up {s} is {v}.'],
      unnamed: ['We are stuck because of {v}.', 'What costs us the weeks is {v}.'],
      cued: [
        ['What is the delay about?', 'The usual: {v}.'],
        ['Why is it red on the board?', '{v}.'],
      ],
      changed: ['{s} waits for something else now: {v}.', 'On {s}, {o} is solved, and now it is {v}.'],
      asked: ['What is the cause of the delay of {s}?', 'Why did {s} fall behind?'],
      askedChange: 'Which problems delayed {s}?',
    },
    {
      value: 'count',
      named: ['{v} people work on {s}.', '{s} has a crew of {v}.'],
      unnamed: ['There are {v} of us on it now.', 'I counted {v} heads on the plan.'],
      cued: [
        ['How many staff are you?', '{v}, with the two trainees.'],
        ['Is the team complete?', 'We are {v}, that has to do.'],
      ],
      changed: ['{s} grew to {v} people.', 'We went from {o} to {v} on {s}.'],
      asked: ['How large is the team of {s}?', 'How many staff does {s} have?'],
      askedChange: 'How did the team of {s} grow?',
    },
  ],
};

const trip: SubjectKind = {
  names: ['Porto', 'Gdansk', 'Lyon', 'Tallinn', 'Bergen', 'Trieste', 'Ghent', 'Malmo'],
  openings: [
    'Have you booked {s} yet?',
    'About {s}: I looked at the trains.',
    'I am packing for {s} in my head already.',
    'Can we settle {s} today?',
  ],
  chat: [
    'Last time in {s} the hotel had no heating.',
    'I will take the small suitcase, it is only two nights.',
    'Somebody recommended a place with good fish near the station.',
    'The connections to {s} are not what they were.',
    'Do I need a letter for the reimbursement?',
    'I want one free hour in {s} to walk along the water.',
    'The travel portal logged me out three times.',
    'Bring an adapter, I always forget mine.',
    'They say that {s} is lovely when it does not rain.',
    'I put the tickets into our calendar.',
  ],
  facts: [
    {
      value: 'day',
      named: ['I leave for {s} on {v}.', 'My train to {s} is on {v}.'],
      unnamed: ['I set off on {v}, rather early.', 'We are away from {v} on.'],
      cued: [
        ['When is the departure?', '{v}, with the first train.'],
        ['Is it still next week?', 'Yes, {v}.'],
      ],
      changed: ['I go to {s} on {v} now.', '{s} moved to {v}, {o} was full.'],
      asked: ['When does the trip to {s} begin?', 'On which date is the departure for {s}?'],
      askedChange: 'From which day to which was the journey to {s} moved?',
    },
    {
      value: 'person',
      named: ['{v} comes along to {s}.', 'I am taking {v} with me to {s}.'],
      unnamed: ['{v} comes too, so I am not alone.', 'I asked {v} to join me.'],
      cued: [
        ['Are you going alone?', 'No, {v} is with me.'],
        ['Who travels with you?', 'Only {v}.'],
      ],
      changed: ['{v} comes to {s} in place of {o}.', '{o} is ill, {v} joins me for {s}.'],
      asked: ['Who travels to {s} too?', 'Which companion goes on the journey to {s}?'],
      askedChange: 'Who was to travel to {s}, and who went in the end?',
    },
    {
      value: 'thing',
      named: ['In {s} we will look at {v}.', 'The reason for {s} is {v}.'],
      unnamed: ['They want to show us {v}.', 'It is all about {v}, really.'],
      cued: [
        ['What is the purpose?', 'I inspect {v}.'],
        ['Is it worth the fare?', 'For {v} it is.'],
      ],
      changed: ['In {s} it will be {v} after all.', 'They swapped the programme in {s}: {v}, not {o}.'],
      asked: ['What is the purpose of the visit to {s}?', 'What will be inspected in {s}?'],
      askedChange: 'How did the programme in {s} change?',
    },
    {
      value: 'amount',
      named: ['{s} cost me {v} with everything.', 'The bill for {s} came to {v}.'],
      unnamed: ['The whole thing came to {v}.', 'I handed in receipts for {v}.'],
      cued: [
        ['What were the expenses?', '{v}, the hotel was most of it.'],
        ['What do you claim?', '{v} all in all.'],
      ],
      changed: ['They refunded a part of {s}, so it is {v}.', 'For {s} I get {v} back, not {o}.'],
      asked: ['What were the expenses in {s}?', 'How much did the trip to {s} cost?'],
      askedChange: 'How were the costs of {s} corrected?',
    },
  ],
};

const customer: SubjectKind = {
  names: [
    'Aldous Mills',
    'Fennimore',
    'Pike and Daughters',
    'Rosewall',
    'Tarn Energy',
    'Umber Clinics',
    'Vello',
  ],
  openings: [
    '{s} called while you were out.',
    'I had a long talk with {s}.',
    'Can we talk about {s} for a moment?',
    'Guess who wrote on Sunday: {s}.',
  ],
  chat: [
    'They are polite at {s}, but they write everything down.',
    'I sent the minutes round, nobody has objected.',
    'The workshop with {s} was louder than planned.',
    'I think that they like us more than they show.',
    'For {s} the reports have to be in two languages.',
    'Procurement over there changes every half year.',
    'We owe {s} a proper answer about the roadmap.',
    'I would not discount anything before they ask.',
    'Every call with {s} ends with a new wish.',
    'They want a named contact, not a mailbox.',
  ],
  facts: [
    {
      value: 'count',
      named: ['{s} ordered {v} seats.', '{s} needs licences for {v} people.'],
      unnamed: ['They took {v} seats to start with.', '{v} of their people will get access.'],
      cued: [
        ['How many licences is that?', '{v} seats.'],
        ['Is it the whole company?', 'No, {v} for now.'],
      ],
      changed: ['{s} went up to {v} seats.', 'It is {v} seats at {s} now, it was {o}.'],
      asked: ['How many licences does {s} have?', 'How many seats did {s} buy?'],
      askedChange: 'How did the number of licences of {s} change?',
    },
    {
      value: 'reason',
      named: ['{s} complained about {v}.', 'What {s} is unhappy with is {v}.'],
      unnamed: ['They are cross about {v}.', 'It was {v} that made them write.'],
      cued: [
        ['What was the complaint?', '{v}, again.'],
        ['Are they angry?', 'About {v}, a little.'],
      ],
      changed: ['{s} has a new complaint, {v}.', 'At {s}, {o} is forgotten, now it is {v}.'],
      asked: ['What was the complaint of {s}?', 'Why is {s} dissatisfied?'],
      askedChange: 'Which complaints did {s} make?',
    },
    {
      value: 'person',
      named: ['At {s}, {v} decides.', '{v} is the one to convince at {s}.'],
      unnamed: ['{v} has the last word over there.', 'Without {v} nothing moves.'],
      cued: [
        ['Who makes the decision?', '{v}, whatever the chart says.'],
        ['Whom do we invite?', '{v}, the others will follow.'],
      ],
      changed: ['{v} replaced {o} at {s}.', 'At {s} we deal with {v} now.'],
      asked: ['Who makes the decision at {s}?', 'Who is the decision maker of {s}?'],
      askedChange: 'Who decided at {s} before, and who does now?',
    },
    {
      value: 'day',
      named: ['We present to {s} on {v}.', '{s} expects us on {v}.'],
      unnamed: ['We show it to them on {v}.', '{v} in their office, with slides.'],
      cued: [
        ['When is the presentation?', 'On {v}.'],
        ['Is the meeting fixed?', '{v}, they confirmed it.'],
      ],
      changed: ['{s} moved the presentation to {v}.', 'Not {o}, {s} wants us on {v}.'],
      asked: ['When is the presentation at {s}?', 'On what date do we meet {s}?'],
      askedChange: 'How was the meeting with {s} moved?',
    },
  ],
};

const equipment: SubjectKind = {
  names: [
    'the label printer',
    'the cold store',
    'the second forklift',
    'the mixing desk',
    'the old server',
    'the packing line',
  ],
  openings: [
    'We need to talk about {s}.',
    'I stood in front of {s} this morning and sighed.',
    'Any news on {s}?',
    'Maintenance left a note about {s}.',
  ],
  chat: [
    'Nobody reads the manual of {s}, that is half the problem.',
    'It made that noise again, like a kettle.',
    'I wrote the serial number on the wall, so that we find it.',
    'If {s} stops, the whole floor waits.',
    'The night shift swears that it works better after a break.',
    'We could lend one from the other site.',
    'I do not trust {s} when it is warm outside.',
    'The guarantee is in the blue folder, I believe.',
    'Please put {s} on the list for the inspection.',
    'Every part for it comes by ship.',
  ],
  facts: [
    {
      value: 'reason',
      named: ['{s} stopped because of {v}.', 'The trouble with {s} was {v}.'],
      unnamed: ['In the end it was {v}.', 'They opened it up and found {v}.'],
      cued: [
        ['So what was the fault?', '{v}, can you believe it?'],
        ['Did they find the cause?', 'Yes, {v}.'],
      ],
      changed: ['{s} failed again, this time through {v}.', 'With {s} it was {v}, not {o}.'],
      asked: ['What was the fault of {s}?', 'Why did {s} break down?'],
      askedChange: 'For which reasons did {s} fail?',
    },
    {
      value: 'amount',
      named: ['Repairing {s} costs {v}.', 'They want {v} to mend {s}.'],
      unnamed: ['They want {v} for the repair.', 'It would be {v} with parts and labour.'],
      cued: [
        ['What is the price of that?', '{v}, parts included.'],
        ['Is it worth it?', 'At {v}, just about.'],
      ],
      changed: ['The repair of {s} became dearer, {v}.', 'For {s} the bill says {v}, they had said {o}.'],
      asked: ['How expensive is the repair of {s}?', 'What is the price of fixing {s}?'],
      askedChange: 'How did the cost of the repair of {s} rise?',
    },
    {
      value: 'day',
      named: ['The technician comes for {s} on {v}.', '{s} will be looked at on {v}.'],
      unnamed: ['They send somebody on {v}.', 'The technician has time on {v}.'],
      cued: [
        ['When will it be serviced?', 'On {v}, before noon.'],
        ['So we wait?', 'Until {v}, yes.'],
      ],
      changed: ['The visit for {s} was put off to {v}.', 'They come for {s} on {v}, {o} fell through.'],
      asked: ['When will {s} be serviced?', 'On which date is the maintenance of {s}?'],
      askedChange: 'How was the service of {s} postponed?',
    },
    {
      value: 'city',
      named: ['The spare part for {s} is stuck in {v}.', '{s} was built in {v}.'],
      unnamed: ['The part is on its way from {v}.', 'They ship it from {v}.'],
      cued: [
        ['Where does the spare part come from?', 'From {v}.'],
        ['Where is it now?', 'In {v}, at the customs.'],
      ],
      changed: ['The part for {s} comes from {v} after all.', 'For {s} they ship from {v}, {o} had none.'],
      asked: ['Where does the spare part of {s} come from?', 'From which town is the part for {s} sent?'],
      askedChange: 'From which places was the part for {s} to come?',
    },
  ],
};

const hire: SubjectKind = {
  names: [
    'the analyst role',
    'the night manager',
    'the apprentice',
    'the data position',
    'the new controller',
    'the support lead',
  ],
  openings: [
    'Three more letters for {s}.',
    'How is the search for {s} going?',
    'I spoke with personnel about {s}.',
    'Let us decide about {s}.',
  ],
  chat: [
    'The advert for {s} reads like a tax form, I will rewrite it.',
    'Two people cancelled, one did not turn up.',
    'I liked the second conversation best.',
    'For {s} I want somebody who asks questions.',
    'The works council needs a week to look at it.',
    'We should not drag {s} out until summer.',
    'References are fine, I called both.',
    'The agency sends people who do not fit.',
    'The person whom we choose for {s} will need a desk.',
    'The test that we give them is too long.',
  ],
  facts: [
    {
      value: 'person',
      named: ['We offered {s} to {v}.', '{v} gets {s}.'],
      unnamed: ['It will be {v}.', 'We made {v} an offer.'],
      cued: [
        ['Who was chosen?', 'Yes, {v}.'],
        ['Who was best?', '{v}, by far.'],
      ],
      changed: ['{o} declined {s}, so we asked {v}.', '{s} goes to {v} now.'],
      asked: ['Who was chosen for {s}?', 'Which candidate received {s}?'],
      askedChange: 'Who was offered {s} first, and who then?',
    },
    {
      value: 'month',
      named: ['{s} starts in {v}.', 'We fill {s} from {v} on.'],
      unnamed: ['The first day is in {v}.', 'From {v} we are complete.'],
      cued: [
        ['When is the first working day?', 'In {v}.'],
        ['Is there a notice period?', 'Yes, so it will be {v}.'],
      ],
      changed: ['{s} begins in {v} only.', 'The start of {s} went from {o} to {v}.'],
      asked: ['When is the first working day of {s}?', 'In which month will {s} be filled?'],
      askedChange: 'How did the start of {s} move?',
    },
    {
      value: 'amount',
      named: ['{s} pays {v} a year.', 'We can offer {v} for {s}.'],
      unnamed: ['We can go up to {v} a year.', 'The band ends at {v}.'],
      cued: [
        ['What salary can we pay?', '{v} a year.'],
        ['Did they ask for more?', 'They asked for {v}, and they get it.'],
      ],
      changed: ['Personnel raised {s} to {v}.', '{s} pays {v} now, {o} was too low.'],
      asked: ['What is the salary of {s}?', 'How much does one earn as {s}?'],
      askedChange: 'How was the salary of {s} raised?',
    },
    {
      value: 'count',
      named: ['{v} people applied for {s}.', '{s} brought in {v} applications.'],
      unnamed: ['{v} letters so far.', 'I have {v} of them in the folder.'],
      cued: [
        ['How many candidates are there?', '{v}, most of them by mail.'],
        ['Did the advert work?', 'I count {v}.'],
      ],
      changed: ['{s} has {v} applications by now.', 'We are at {v} letters for {s}, it was {o}.'],
      asked: ['How many candidates are there for {s}?', 'How many applications did {s} get?'],
      askedChange: 'How did the number of candidates for {s} develop?',
    },
  ],
};

export const SUBJECT_KINDS: readonly SubjectKind[] = [contract, project, trip, customer, equipment, hire];

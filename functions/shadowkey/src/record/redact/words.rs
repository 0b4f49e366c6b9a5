//! Runs of letters and of digits, and the stand-in of each.

use std::collections::{BTreeSet, HashMap, HashSet};

/// Gives every value its stand-in, and remembers it.
pub(crate) struct Redactor {
    random: fastrand::Rng,
    /// By the run in small letters, or by its digits from the first that is no zero.
    runs: HashMap<String, String>,
    bytes: HashMap<Vec<u8>, Vec<u8>>,
    taken: HashSet<String>,
    taken_bytes: HashSet<Vec<u8>>,
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word<'a> {
    Letters(&'a str),
    Digits(&'a str),
    /// What stays as it is.
    Other(&'a str),
}

/// The parts of a text in order.
pub(super) struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self(text)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let first = self.0.chars().next()?;
        let run = |is_in: fn(char) -> bool| self.0.find(|c| !is_in(c)).unwrap_or(self.0.len());
        let is_letter = |c: char| c.is_alphanumeric() && !c.is_ascii_digit();
        let is_digit = |c: char| c.is_ascii_digit();
        let is_other = |c: char| !c.is_alphanumeric();
        let time = time_length(self.0);
        let (kind, length): (fn(&'a str) -> Word<'a>, usize) = match first {
            _ if time > 0 => (Word::Other, time),
            c if is_letter(c) => (Word::Letters, run(is_letter)),
            c if is_digit(c) => (Word::Digits, run(is_digit)),
            _ => (Word::Other, run(is_other)),
        };
        let (word, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(kind(word))
    }
}

/// How long the date, or date and time, is that a text begins with; 0 if it begins with none.
fn time_length(text: &str) -> usize {
    // `0` is any digit.
    const DATE: &str = "0000-00-00";
    const TIMES: [&str; 4] = ["T00:00:00", " 00:00:00", "T00:00", " 00:00"];
    const ZONES: [&str; 5] = ["Z", "+00:00", "-00:00", "+0000", "-0000"];
    let fits = |text: &str, shape: &str| {
        let mut bytes = text.bytes();
        shape.bytes().all(|wanted| {
            bytes.next().is_some_and(|byte| match wanted {
                b'0' => byte.is_ascii_digit(),
                other => byte == other,
            })
        })
    };
    let longest = |text: &str, shapes: &[&str]| {
        let shape = shapes.iter().find(|shape| fits(text, shape));
        shape.map_or(0, |shape| shape.len())
    };
    let after = |length: usize| text.get(length..).unwrap_or_default();
    if !fits(text, DATE) {
        return 0;
    }
    let time = longest(after(DATE.len()), &TIMES);
    let mut length = DATE.len() + time;
    if time > 0 {
        if let Some(fraction) = after(length).strip_prefix('.') {
            length += 1 + fraction.bytes().take_while(u8::is_ascii_digit).count();
        }
        length += longest(after(length), &ZONES);
    }
    // A longer run of digits is an identifier and no date.
    let goes_on = after(length).starts_with(|c: char| c.is_ascii_digit());
    if goes_on { 0 } else { length }
}

impl Redactor {
    /// With the words of these texts kept; the same seed gives the same stand-ins.
    pub(crate) fn new(kept: &BTreeSet<String>, seed: u64) -> Self {
        let mut redactor = Self {
            random: fastrand::Rng::with_seed(seed),
            runs: HashMap::new(),
            bytes: HashMap::new(),
            taken: HashSet::new(),
            taken_bytes: HashSet::new(),
        };
        for word in kept.iter().flat_map(|text| Words::of(text)) {
            if let Word::Letters(run) | Word::Digits(run) = word {
                let run = normal(run);
                redactor.taken.insert(run.clone());
                redactor.runs.insert(run.clone(), run);
            }
        }
        redactor
    }

    /// The stand-in of a part of a text, in the case that the part is in.
    pub(super) fn word(&mut self, word: Word<'_>) -> String {
        match word {
            Word::Other(text) => text.to_owned(),
            Word::Digits(digits) => {
                let run = normal(digits);
                let zeros = digits.len() - run.len();
                "0".repeat(zeros) + &self.run(run)
            }
            Word::Letters(letters) => {
                let stand_in = self.run(normal(letters));
                let cases = letters.chars().zip(stand_in.chars());
                cases
                    .map(|(was, is)| match was.is_ascii_uppercase() {
                        true => is.to_ascii_uppercase(),
                        false => is,
                    })
                    .collect()
            }
        }
    }

    fn run(&mut self, run: String) -> String {
        if let Some(stand_in) = self.runs.get(&run) {
            return stand_in.clone();
        }
        let alphabets: Vec<(u32, u32)> = run.chars().enumerate().map(|(at, c)| alphabet(c, at)).collect();
        let mut places: Vec<u32> = alphabets.iter().map(|(_, size)| self.random.u32(0..*size)).collect();
        let start = places.clone();
        let stand_in = loop {
            let spelt = alphabets.iter().zip(&places);
            let spelt: String = spelt
                .filter_map(|((first, _), place)| char::from_u32(first + place))
                .collect();
            // Where every run of this shape is taken, two become alike.
            if !self.taken.contains(&spelt) || !step(&mut places, &alphabets, &start) {
                break spelt;
            }
        };
        self.taken.insert(stand_in.clone());
        self.runs.insert(run, stand_in.clone());
        stand_in
    }

    /// As many other bytes.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Vec<u8> {
        if let Some(stand_in) = self.bytes.get(bytes) {
            return stand_in.clone();
        }
        let mut places: Vec<u32> = bytes.iter().map(|_| self.random.u32(0..256)).collect();
        let (alphabets, start) = (vec![(0, 256); bytes.len()], places.clone());
        let stand_in = loop {
            let spelt: Vec<u8> = places.iter().filter_map(|place| u8::try_from(*place).ok()).collect();
            if !self.taken_bytes.contains(&spelt) || !step(&mut places, &alphabets, &start) {
                break spelt;
            }
        };
        self.taken_bytes.insert(stand_in.clone());
        self.bytes.insert(bytes.to_owned(), stand_in.clone());
        stand_in
    }
}

/// Letters of which only the case differs have one stand-in, as far as they are ASCII, and so have digits with and without
/// zeros in front.
fn normal(run: &str) -> String {
    match run.bytes().all(|byte| byte.is_ascii_digit()) {
        true => run.trim_start_matches('0').to_owned(),
        false => run.to_ascii_lowercase(),
    }
}

/// The characters that may stand for one, all of as many bytes: the first, and how many there are.
fn alphabet(c: char, at: usize) -> (u32, u32) {
    match (c, c.len_utf8()) {
        ('0'..='9', _) if at == 0 => (u32::from('1'), 9),
        ('0'..='9', _) => (u32::from('0'), 10),
        (_, 1) => (u32::from('a'), 26),
        (_, 2) => (u32::from('\u{430}'), 32),
        (_, 3) => (u32::from('\u{4e00}'), 20_000),
        _ => (u32::from('\u{20000}'), 40_000),
    }
}

/// Goes on to the next spelling as an odometer does; whether it is not where it started.
fn step(places: &mut [u32], alphabets: &[(u32, u32)], start: &[u32]) -> bool {
    for (place, (_, size)) in places.iter_mut().zip(alphabets).rev() {
        *place = (*place + 1) % size;
        if *place != 0 {
            break;
        }
    }
    places != start
}

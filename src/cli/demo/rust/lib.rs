//! A rally in figures.

pub mod stage_times;

#[cfg(test)]
mod tests {
    use super::stage_times::{format_time, ranking, Outcome};

    #[test]
    fn seconds_have_two_digits() {
        assert_eq!(format_time(61.5), "1:01.5");
    }

    #[test]
    fn penalties_count() {
        let ari = Outcome { driver: "Ari", seconds: 60.0, penalty: 10.0 };
        let michele = Outcome { driver: "Michèle", seconds: 65.0, penalty: 0.0 };
        assert_eq!(ranking(&[ari, michele]), ["Michèle", "Ari"]);
    }
}
